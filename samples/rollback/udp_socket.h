#pragma once
/// A UDP socket that never blocks.

#include <talus/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace talus::samples::rollback {

inline constexpr std::uint32_t loopback = 0x7f000001u;  ///< 127.0.0.1

/// An IPv4 address and a port.
struct Endpoint {
    std::uint32_t address = loopback;
    std::uint16_t port = 0;
};

/// Reads "PORT", which means 127.0.0.1, or "A.B.C.D:PORT". Nothing if the text is neither.
std::optional<Endpoint> parse_endpoint(const std::string& text);

class UdpSocket {
public:
    /// Binds a socket to a port of this machine; 0 is any free one. `from_anywhere`: also receives from other machines,
    /// not only from this one. An Error says what the system refused.
    static Result<UdpSocket> open(std::uint16_t port = 0, bool from_anywhere = false);
    UdpSocket(UdpSocket&& other) noexcept;
    UdpSocket& operator=(UdpSocket&& other) noexcept;
    ~UdpSocket();

    std::uint16_t port() const { return port_; }

    /// Sends a datagram. If the system cannot send it now, it is lost, as it might be on its way.
    void send(const Endpoint& to, std::string_view datagram) const;
    /// Returns the next datagram that has arrived, whoever sent it; nothing if there is none. The bytes are valid until
    /// the next call. A datagram that is longer than any of ours comes without its end.
    std::optional<std::string_view> receive();

private:
    UdpSocket() = default;

    int descriptor_ = -1;
    std::uint16_t port_ = 0;
    std::string buffer_;
};

}  // namespace talus::samples::rollback

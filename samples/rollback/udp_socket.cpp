#include "samples/rollback/udp_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace talus::samples::rollback {

namespace {

constexpr std::size_t longest_datagram = 2048;  // bytes; ours have at most about 1100

sockaddr_in to_sockaddr(std::uint32_t address, std::uint16_t port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_addr.s_addr = htonl(address);
    out.sin_port = htons(port);
    return out;
}

Error refused(const char* call) {
    return Error{ErrorCode::bad_argument, std::string("UDP: the system refused ") + call + ": " + std::strerror(errno)};
}

}  // namespace

std::optional<Endpoint> parse_endpoint(const std::string& text) {
    Endpoint out;
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos) {
        in_addr address{};
        if (inet_pton(AF_INET, text.substr(0, colon).c_str(), &address) != 1) return std::nullopt;
        out.address = ntohl(address.s_addr);
    }
    const char* const begin = text.data() + (colon == std::string::npos ? 0 : colon + 1);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, out.port);
    if (error != std::errc() || stop != end || out.port == 0) return std::nullopt;
    return out;
}

Result<UdpSocket> UdpSocket::open(std::uint16_t port, bool from_anywhere) {
    UdpSocket out;
    out.descriptor_ = socket(AF_INET, SOCK_DGRAM, 0);
    if (out.descriptor_ < 0) return refused("socket()");
    if (fcntl(out.descriptor_, F_SETFL, O_NONBLOCK) != 0) return refused("fcntl(O_NONBLOCK)");
    sockaddr_in address = to_sockaddr(from_anywhere ? INADDR_ANY : loopback, port);
    socklen_t size = sizeof address;
    if (bind(out.descriptor_, reinterpret_cast<const sockaddr*>(&address), size) != 0) return refused("bind()");
    if (getsockname(out.descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return refused("getsockname()");
    out.port_ = ntohs(address.sin_port);
    out.buffer_.resize(longest_datagram);
    return out;
}

UdpSocket::UdpSocket(UdpSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), port_(other.port_), buffer_(std::move(other.buffer_)) {}

UdpSocket& UdpSocket::operator=(UdpSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(port_, other.port_);
    std::swap(buffer_, other.buffer_);
    return *this;
}

UdpSocket::~UdpSocket() {
    if (descriptor_ >= 0) close(descriptor_);
}

void UdpSocket::send(const Endpoint& to, std::string_view datagram) const {
    const sockaddr_in address = to_sockaddr(to.address, to.port);
    sendto(descriptor_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&address),
           sizeof address);
}

std::optional<std::string_view> UdpSocket::receive() {
    const ssize_t size = recv(descriptor_, buffer_.data(), buffer_.size(), 0);
    if (size < 0) return std::nullopt;
    return std::string_view(buffer_).substr(0, static_cast<std::size_t>(size));
}

}  // namespace talus::samples::rollback

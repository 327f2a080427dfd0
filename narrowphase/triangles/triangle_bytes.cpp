#include "narrowphase/triangles/triangle_bytes.h"

namespace talus {

namespace {

enum class SetKind : std::uint8_t { mesh, height_field };

}  // namespace

template <>
inline constexpr SetKind last_value<SetKind> = SetKind::height_field;

namespace detail {

bool write_triangles(ByteWriter& bytes, const TriangleSet& set) {
    ByteWriter of_set;
    SetKind kind = SetKind::mesh;
    if (!write_mesh(of_set, set)) {
        kind = SetKind::height_field;
        if (!write_height_field(of_set, set)) return false;
    }
    bytes(kind);
    bytes.raw(of_set.written().data(), of_set.size());
    return true;
}

std::shared_ptr<const TriangleSet> read_triangles(ByteReader& bytes) {
    SetKind kind{};
    bytes(kind);
    if (bytes.failed()) return nullptr;
    return kind == SetKind::mesh ? read_mesh(bytes) : read_height_field(bytes);
}

}  // namespace detail
}  // namespace talus

#include "narrowphase/shapes/mapping_bytes.h"

#include "narrowphase/ladder/pair_fields.h"
#include "narrowphase/shapes/hull_bytes.h"

namespace talus {

template <>
inline constexpr MappingKind last_value<MappingKind> = MappingKind::convex_sum;

namespace detail {
namespace {

/// A sum of sums may not be nested deeper, so that damaged bytes cannot fill the stack.
constexpr int most_nested = 4;

bool write_part(ByteWriter& bytes, const Shape& shape) {
    bytes(shape.type, shape.radius, shape.half_extents, shape.points);
    if (shape.type == ShapeType::hull) write_hull(bytes, *shape.hull);
    return shape.type != ShapeType::mapping || write_mapping(bytes, *shape.mapping);
}

std::shared_ptr<const MappingSolid> read_nested(ByteReader& bytes, int depth);

Shape read_part(ByteReader& bytes, int depth) {
    Shape shape;
    bytes(shape.type, shape.radius, shape.half_extents, shape.points);
    if (bytes.failed()) return {};
    if (shape.type == ShapeType::hull) shape.hull = read_hull(bytes);
    if (shape.type == ShapeType::mapping) shape.mapping = read_nested(bytes, depth + 1);
    return shape;
}

Result<Shape> made(ByteReader& bytes, MappingKind kind, int depth) {
    vec3 radii(0.0f), exponents(0.0f);
    switch (kind) {
        case MappingKind::user:
            break;
        case MappingKind::ellipsoid:
            bytes(radii);
            if (bytes.failed()) break;
            return ellipsoid(radii);
        case MappingKind::superellipsoid:
            bytes(radii, exponents);
            if (bytes.failed()) break;
            return superellipsoid(radii, exponents.x, exponents.y);
        case MappingKind::convex_sum: {
            const Shape a = read_part(bytes, depth), b = bytes.failed() ? Shape{} : read_part(bytes, depth);
            if (bytes.failed()) break;
            return convex_sum(a, b);
        }
    }
    return Error{ErrorCode::bad_data, ""};
}

std::shared_ptr<const MappingSolid> read_nested(ByteReader& bytes, int depth) {
    MappingKind kind = MappingKind::user;
    bytes(kind);
    if (bytes.failed() || !bytes.expect(depth < most_nested, "sums of shapes are nested too deep")) return nullptr;
    const Result<Shape> shape = made(bytes, kind, depth);
    if (shape) return shape->mapping;
    bytes.fail("a mapping is no solid");
    return nullptr;
}

}  // namespace

bool write_mapping(ByteWriter& bytes, const MappingSolid& solid) {
    bytes(solid.kind);
    switch (solid.kind) {
        case MappingKind::user:
            return false;
        case MappingKind::ellipsoid:
            bytes(solid.radii);
            break;
        case MappingKind::superellipsoid:
            bytes(solid.radii, solid.exponents);
            break;
        case MappingKind::convex_sum:
            for (const Shape& part : solid.parts) {
                if (!write_part(bytes, part)) return false;
            }
            break;
    }
    return true;
}

std::shared_ptr<const MappingSolid> read_mapping(ByteReader& bytes) { return read_nested(bytes, 0); }

}  // namespace detail
}  // namespace talus

#pragma once
/// Builds and runs the worlds that world_text.h describes.

#include "samples/soak/world_text.h"

#include <cstdint>
#include <string>
#include <vector>

namespace talus::samples {

/// Says what is wrong with the kind and the numbers of a shape, in words for a line of a file; empty if nothing is.
std::string shape_flaw(const TextShape& shape);
/// The definition of a body of a description with this origin, shapes included.
BodyDef body_def(const TextBody& body, const dvec3& origin);

/// A world that is run from a description: add what comes and change what changes before each step.
class TextRun {
public:
    explicit TextRun(const WorldText& text);
    /// Bodies, joints and changes that are due before step `step`, also in a copy of the world if there is one.
    void prepare(World& world, int step);
    /// What the world refused in the last prepare(), in a sentence; empty if nothing.
    const std::string& refusal() const { return refusal_; }
    float dt(int step) const { return text_.dts[static_cast<std::size_t>(step) % text_.dts.size()]; }
    BodyId body(std::uint32_t number) const;
    JointId joint(std::uint32_t number) const;

private:
    bool change(World& world, const TextChange& change);
    bool change_joint(World& world, const TextChange& change);
    const WorldText& text_;
    std::vector<BodyId> bodies_;  ///< by number
    std::vector<JointId> joints_;
    std::string refusal_;
};

/// Its world, empty: TextRun fills it.
World make_text_world(const WorldText& text);

/// The scene of a file (SceneOptions::file), for the programs that show scenes. Bodies and joints that come later are
/// there from the start, and of the changes only pushes are made: talus-soak FILE does all.
const Scene& file_scene();

}  // namespace talus::samples

/* The scene of js_test.mjs. Prints the world's hash after 120 and 240 steps, and saves it after 120: js_scene FILE */

#include <talus/c/talus.h>

#include <inttypes.h>
#include <stdio.h>

static void steps(TalusWorld* world, int count) {
    for (int i = 0; i < count; ++i) talus_world_step(world, 1.0f / 60.0f, NULL);
    printf("%016" PRIx64 "\n", talus_world_hash(world));
}

int main(int argc, char** argv) {
    TalusWorld* world = talus_world_create(NULL, NULL);
    TalusBodyDef floor = talus_body_def();
    floor.type = TALUS_FIXED;
    floor.shape = talus_box((TalusVec3){50, 1, 50});
    floor.position.y = -1;
    talus_world_add_body(world, &floor);

    const TalusVec3 points[4] = {{-0.5f, -0.5f, -0.5f}, {0.5f, -0.5f, -0.5f}, {0, -0.5f, 0.75f}, {0, 0.75f, 0}};
    TalusHull* hull = talus_hull_create(points, 4, NULL);
    const TalusShape shapes[6] = {
        talus_box((TalusVec3){0.5f, 0.5f, 0.5f}), talus_sphere(0.5f), talus_capsule(0.5f, 0.25f), talus_cylinder(0.5f, 0.5f),
        talus_cone(0.5f, 0.5f), talus_hull(hull),
    };
    TalusBodyId bodies[60];
    for (int i = 0; i < 60; ++i) {
        TalusBodyDef def = talus_body_def();
        def.shape = shapes[i % 6];
        def.position = (TalusDVec3){(i % 3) * 0.75, 1 + i * 0.5, (i % 4) * 0.25};
        def.angular_velocity = (TalusVec3){(float)i * 0.125f, 0, 1};
        def.user_data = (uint64_t)i;
        bodies[i] = talus_world_add_body(world, &def);
    }
    for (int i = 0; i < 8; ++i) {
        TalusJointDef def = talus_joint_def(i % 2 ? TALUS_HINGE_JOINT : TALUS_BALL_JOINT);
        def.frames = talus_world_joint_frames(world, bodies[i], bodies[i + 1], (TalusDVec3){0, 1 + i * 0.5, 0}, (TalusVec3){0, 0, 1});
        if (i % 2 == 0) def.of.ball.cone = 1;
        talus_world_add_joint(world, &def);
    }

    steps(world, 120);
    TalusBytes bytes = talus_world_save(world, NULL, NULL);
    FILE* file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (file != NULL) {
        fwrite(bytes.data, 1, bytes.size, file);
        fclose(file);
    }
    talus_bytes_free(bytes);
    steps(world, 120);
    talus_hull_release(hull);
    talus_world_destroy(world);
    return 0;
}

/* The C program of docs/bindings.md: C99, without warnings. Prints the height at which the crate ends. */
#include <stdio.h>
#include <talus/c/talus.h>

int main(void) {
    TalusWorld* world = talus_world_create(NULL, NULL); /* gravity (0, -9.81, 0) m/s^2 */
    TalusBodyDef ground = talus_body_def();
    ground.type = TALUS_FIXED;
    ground.shape = talus_box((TalusVec3){50, 1, 50});
    ground.position.y = -1;
    talus_world_add_body(world, &ground);
    TalusBodyDef def = talus_body_def();
    def.shape = talus_box((TalusVec3){0.5f, 0.5f, 0.5f});
    def.position.y = 10;
    TalusBodyId crate = talus_world_add_body(world, &def);
    for (int i = 0; i < 240; ++i) talus_world_step(world, 1.0f / 60.0f, NULL);
    printf("%.3f\n", talus_world_position(world, crate).y);
    talus_world_destroy(world);
    return 0;
}

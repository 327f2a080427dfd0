// Talus from Rust: what a first program needs of include/talus/c/talus.h.
//
//   rustc -L FOLDER first_program.rs && LD_LIBRARY_PATH=FOLDER ./first_program    (FOLDER has libtalus.so)

use std::ptr::null;

#[repr(C)] #[derive(Clone, Copy)] struct Vec3 { x: f32, y: f32, z: f32 }
#[repr(C)] #[derive(Clone, Copy)] struct DVec3 { x: f64, y: f64, z: f64 }
#[repr(C)] struct Shape {
    kind: i32, radius: f32, half_extents: Vec3, points: [Vec3; 3], hull: *const u8, mapping: *const u8,
}
#[repr(C)] struct Filter { category: u32, mask: u32, group: i32 }
#[repr(C)] struct Material {
    friction: f32, restitution: f32, rolling_resistance: f32, grip_axis: Vec3, grip_across: f32, surface_velocity: Vec3,
}
#[repr(C)] struct BodyDef {
    size: usize, kind: i32, position: DVec3, rotation: [f32; 4], linear_velocity: Vec3, angular_velocity: Vec3,
    shape: Shape, mesh: *const u8, material: Material, mesh_materials: *const Material, mesh_material_count: usize,
    density: f32, sensor: bool, hit_events: bool, modify_contacts: bool, filter: Filter,
    shapes: *const u8, shape_count: usize, mass_properties: *const u8,
    linear_damping: f32, angular_damping: f32, max_speed: f32, max_spin: f32, gravity_scale: f32,
    locks: u8, allow_sleep: bool, continuous: i32, user_data: u64,
}
enum World {}

const FIXED: i32 = 0;

#[link(name = "talus")]
extern "C" {
    fn talus_world_create(def: *const u8, error: *mut u8) -> *mut World;
    fn talus_world_destroy(world: *mut World);
    fn talus_body_def() -> BodyDef; // the defaults, with the size of the library's structure
    fn talus_box(half_extents: Vec3) -> Shape;
    fn talus_world_add_body(world: *mut World, def: *const BodyDef) -> u64;
    fn talus_world_step(world: *mut World, dt: f32, jobs: *const u8) -> bool;
    fn talus_world_position(world: *const World, body: u64) -> DVec3;
}

fn main() {
    unsafe {
        let world = talus_world_create(null(), std::ptr::null_mut());
        let mut ground = talus_body_def();
        assert_eq!(ground.size, std::mem::size_of::<BodyDef>());
        ground.kind = FIXED;
        ground.shape = talus_box(Vec3 { x: 50.0, y: 1.0, z: 50.0 });
        ground.position.y = -1.0;
        talus_world_add_body(world, &ground);
        let mut def = talus_body_def();
        def.shape = talus_box(Vec3 { x: 0.5, y: 0.5, z: 0.5 });
        def.position.y = 10.0;
        let body = talus_world_add_body(world, &def);
        for _ in 0..240 { talus_world_step(world, 1.0 / 60.0, null()); }
        println!("{:.3}", talus_world_position(world, body).y);
        talus_world_destroy(world);
    }
}

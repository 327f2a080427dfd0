// Talus from C#: what a first program needs of include/talus/c/talus.h.
//
//   mcs FirstProgram.cs && LD_LIBRARY_PATH=FOLDER mono FirstProgram.exe    (FOLDER has libtalus.so), or in a project of .NET

using System;
using System.Globalization;
using System.Runtime.InteropServices;

static class FirstProgram {
    struct Vec3 { public float x, y, z; }
    struct DVec3 { public double x, y, z; }
    struct Quat { public float x, y, z, w; }
    struct Shape { public int type; public float radius; public Vec3 half_extents, point_0, point_1, point_2; public IntPtr hull, mapping; }
    struct Filter { public uint category, mask; public int group; }
    struct Material {
        public float friction, restitution, rolling_resistance; public Vec3 grip_axis; public float grip_across;
        public Vec3 surface_velocity;
    }
    struct BodyDef {  // bytes for bool: C# would make them four bytes long
        public UIntPtr size; public int type; public DVec3 position; public Quat rotation;
        public Vec3 linear_velocity, angular_velocity; public Shape shape; public IntPtr mesh; public Material material;
        public IntPtr mesh_materials; public UIntPtr mesh_material_count; public float density;
        public byte sensor, hit_events, modify_contacts; public Filter filter; public IntPtr shapes; public UIntPtr shape_count;
        public IntPtr mass_properties; public float linear_damping, angular_damping, max_speed, max_spin, gravity_scale;
        public byte locks, allow_sleep; public int continuous; public ulong user_data;
    }
    const int Fixed = 0;

    [DllImport("talus")] static extern IntPtr talus_world_create(IntPtr def, IntPtr error);
    [DllImport("talus")] static extern void talus_world_destroy(IntPtr world);
    [DllImport("talus")] static extern BodyDef talus_body_def();
    [DllImport("talus")] static extern Shape talus_box(Vec3 half_extents);
    [DllImport("talus")] static extern ulong talus_world_add_body(IntPtr world, ref BodyDef def);
    [DllImport("talus")] static extern byte talus_world_step(IntPtr world, float dt, IntPtr jobs);
    [DllImport("talus")] static extern DVec3 talus_world_position(IntPtr world, ulong body);

    static void Main() {
        IntPtr world = talus_world_create(IntPtr.Zero, IntPtr.Zero);
        BodyDef ground = talus_body_def();
        ground.type = Fixed;
        ground.shape = talus_box(new Vec3 { x = 50, y = 1, z = 50 });
        ground.position.y = -1;
        talus_world_add_body(world, ref ground);
        BodyDef def = talus_body_def();
        def.shape = talus_box(new Vec3 { x = 0.5f, y = 0.5f, z = 0.5f });
        def.position.y = 10;
        ulong crate = talus_world_add_body(world, ref def);
        for (int i = 0; i < 240; ++i) talus_world_step(world, 1.0f / 60.0f, IntPtr.Zero);
        Console.WriteLine(talus_world_position(world, crate).y.ToString("F3", CultureInfo.InvariantCulture));
        talus_world_destroy(world);
    }
}

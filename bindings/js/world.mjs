// The class World of one loaded library. Each method makes one call of the C API; talus.d.ts says what it does.
//
// Results of a known size go to `out`, arguments that are vectors to fixed places, and all others to temporary memory.

import { enums, structs } from './layout.mjs';
import {
    boolean, finite, func, halves, hex, high, index, integer, low, lowOrNull, number, packed, TalusError, wide, word, wrong,
} from './memory.mjs';

const offset = (type, field) => structs[type].fields[field][1];
const enumWord = (type, number) => enums[type][number];
const none = 0xffffffff;  // TALUS_NO_ISLAND

/// Returns the class. `library` is what talus.mjs has made: the functions of the C API and codecs of their structures.
export function makeWorld(library) {
    const { C, memory: m, calls, jobs, error, refused, Assets } = library;
    const out = m.permanent(Math.max(...Object.values(structs).map(({ size }) => size)));
    const destroyed = new FinalizationRegistry((pointer) => C.talus_world_destroy(pointer));
    const freed = new FinalizationRegistry((pointer) => C.talus_body_def_free(pointer));

    // ---- Arguments ----

    const [vec3, dvec3, quat] = ['TalusVec3', 'TalusDVec3', 'TalusQuat'].map((type) => m.codec(type));
    const places = m.permanent(128);
    const put = (codec, place) => (value, name) => (codec.write(places + place, value, name), places + place);
    const vector = put(vec3, 0);
    const point = put(dvec3, 16);
    const rotation = put(quat, 40);

    /// The same for calls whose vectors the library does not check.
    const finiteAt = (place, view, name, call) => {
        const first = place / m[view].BYTES_PER_ELEMENT;
        const [x, y, z] = m[view].subarray(first, first + 3);
        if (Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z)) return place;
        throw new TalusError('notFinite', `${call}: ${name} is (${x}, ${y}, ${z}); it must be finite`);
    };
    const finitePoint = (value, name, call) => finiteAt(point(value, name), 'F64', name, call);
    const finiteVector = (value, name, call) => finiteAt(vector(value, name), 'F32', name, call);

    const optional = (type, value, name) => (value === undefined ? 0 : m.temporary(type, value, name));
    const filterOf = (filter) => optional('TalusFilter', filter, 'filter');
    const axisOf = (axis) => word('TalusJointAxis', axis, 'axis');

    function rayOf(origin, translation) {
        const p = m.allocate(structs.TalusRay.size);
        dvec3.write(p + offset('TalusRay', 'origin'), origin, 'origin');
        vec3.write(p + offset('TalusRay', 'translation'), translation, 'translation');
        return p;
    }
    const castOf = (shape, pose, translation) => m.temporary('TalusShapeCast', { shape, pose, translation }, 'the cast');

    function assetsOf(assets) {
        if (assets === undefined) return 0;
        if (!(assets instanceof Assets)) throw wrong('assets', 'an Assets', assets);
        return library.tableOf(assets);
    }

    // With 'stages', a step reads the clock 22 times, which takes 2 us (bench.mjs). That is why it is not the default
    // here.
    m.defineDefaults('TalusWorldDef', (p) => {
        C.talus_world_def(p);
        m.I32[(p + offset('TalusWorldDef', 'timing')) >> 2] = word('TalusTiming', 'off', 'timing');
    });

    // ---- Results ----

    const castHit = m.codec('TalusCastHit');
    const hitAt = (p) => (m.U32[p >> 2] || m.U32[(p >> 2) + 1] ? castHit.read(p) : null);

    /// Returns the bytes at `out`, as a copy, and frees them.
    function takeBytes() {
        const [data, size] = ['data', 'size'].map((field) => m.U32[(out + offset('TalusBytes', field)) >> 2]);
        if (!data) refused();
        const bytes = m.U8.slice(data, data + size);
        C.talus_bytes_free(out);
        return bytes;
    }

    /// Returns the list that write(pointer, capacity) writes, each element read by `codec`.
    function list(codec, write) {
        let capacity = Math.floor(m.room / codec.size);
        let p = m.allocate(capacity * codec.size);
        let count = write(p, capacity);
        if (count > capacity) {
            capacity = count;
            p = m.allocate(capacity * codec.size);
            count = Math.min(write(p, capacity), capacity);
        }
        return Array.from({ length: count }, (_, i) => codec.read(p + i * codec.size));
    }

    /// Returns the numbers of a list of handles.
    function handlesAt(p, count) {
        C.talus_js_pack(p, count);
        return Array.from(m.F64.subarray(p >> 3, (p >> 3) + count));
    }
    /// Returns the list of handles that write(pointer, capacity) writes.
    function handles(write) {
        let capacity = m.room >> 3;
        let p = m.allocate(capacity << 3);
        let count = write(p, capacity);
        if (count > capacity) {
            capacity = count;
            p = m.allocate(capacity * 8);
            count = Math.min(write(p, capacity), capacity);
        }
        return handlesAt(p, count);
    }

    /// Returns {pointer, length} of a temporary list of handles.
    function handlesOf(bodies) {
        const list = m.numbers(bodies, 'F64', 'bodies');
        C.talus_js_unpack(list.pointer, list.length);
        return list;
    }

    // Poses and velocities stay until the next call, in a block that grows with the largest number of bodies.
    const block = { capacity: 0, numbers: 0, bodies: 0 };
    function grow(capacity) {
        if (capacity <= block.capacity) return;
        m.later(block.numbers);
        m.later(block.bodies);
        block.capacity = block.numbers = block.bodies = 0;
        const bodies = Math.max(256, Math.ceil(capacity * 1.25));
        block.numbers = m.permanent(bodies * 28);  // seven floats
        block.bodies = m.permanent(bodies * 8);
        block.capacity = bodies;
    }
    const floats = (count) => new Float32Array(m.F32.buffer, block.numbers, count);
    const zero = [0, 0, 0];

    /// Returns whether what three or four numbers go to is a list; else it has the fields x, y, z (and w). These may
    /// also have a function `length`, as three.js's vectors do.
    function isListOf(to, count) {
        if (to !== null && typeof to === 'object') {
            if (typeof to.length === 'number' && to.length >= (ArrayBuffer.isView(to) ? count : 0)) return true;  // arrays grow
            if ('x' in to && 'y' in to && 'z' in to && (count === 3 || 'w' in to)) return false;
        }
        throw wrong('to', `a list, or an object with ${count === 3 ? 'x, y and z' : 'x, y, z and w'}`, to);
    }

    // ---- Functions of the user's that a step or a drawing calls ----

    let running = null;  // {functions, failed, failure}

    /// Calls f() while the library may call `functions`. An exception from one of them is thrown at the end: it must
    /// not pass through the library.
    function run(functions, f) {
        const outer = running;
        const own = (running = { functions, failed: false, failure: undefined });
        try {
            return f();
        } finally {
            running = outer;
            if (own.failed) throw own.failure;
        }
    }
    function attempt(f) {
        if (running.failed) return;
        const own = running;
        try {
            f(own.functions);
        } catch (failure) {
            own.failed = true;
            own.failure = failure;
        }
    }

    const modification = m.codec('TalusContactModification');
    const modified = (field) => offset('TalusContactModification', field);
    calls.modify = (p) => attempt(({ modifier }) => {
        const contact = Object.seal(modification.read(p));  // a misspelled field throws
        const points = contact.points.map(Object.seal);  // the modifier might change the list, but the library has as many as before
        modifier(contact);
        const enabled = [contact, ...points].map((part) => boolean(part.enabled, 'enabled'));
        // The library would ignore numbers that are out of range.
        const friction = finite(contact.friction, 'friction', 'contact modifier', 'from 0 to 3.4e38',
            (value) => value >= 0 && Number.isFinite(Math.fround(value)));
        const restitution = finite(contact.restitution, 'restitution', 'contact modifier', '0 (no bounce) to 1',
            (value) => value >= 0 && value <= 1);
        m.U8[p + modified('enabled')] = enabled[0];
        m.F32[(p + modified('friction')) >> 2] = friction;
        m.F32[(p + modified('restitution')) >> 2] = restitution;
        points.forEach((_, i) => {
            const place = p + modified('points') + i * structs.TalusModifiablePoint.size;
            m.U8[place + offset('TalusModifiablePoint', 'enabled')] = enabled[i + 1];
        });
    });

    const color = m.codec('TalusColor');
    calls.line = (_, a, b, c) => attempt((draw) => draw.line?.(dvec3.read(a), dvec3.read(b), color.read(c)));
    calls.point = (_, a, pixels, c) => attempt((draw) => draw.point?.(dvec3.read(a), pixels, color.read(c)));
    calls.triangle = (_, a, b, c, d) =>
        attempt((draw) => draw.triangle?.(dvec3.read(a), dvec3.read(b), dvec3.read(c), color.read(d)));
    calls.text = (_, a, text, c) => attempt((draw) => draw.text?.(dvec3.read(a), m.textAt(text), color.read(c)));

    let adopted = 0;  // the pointer that the next constructor takes over

    return class World {
        #pointer;            // 0 once it is destroyed
        #usable;             // the same, or 0 if the world may not be used now
        #modifier = null;

        constructor(def = {}) {
            this.#pointer = this.#usable = adopted || World.#create(def);
            adopted = 0;
            destroyed.register(this, this.#pointer, this);
        }
        static #create(def) {
            m.begin();
            return C.talus_world_create(m.temporary('TalusWorldDef', def, 'def'), error) || refused();
        }
        static #adopt(pointer) {
            adopted = pointer || refused();
            return new World();
        }

        /// Returns the pointer of a world that may be used now.
        #world() {
            m.begin();
            return this.#usable || this.#unusable();
        }
        #unusable() {
            throw new TalusError('badArgument', this.#pointer
                ? 'the world cannot be used within its step() and draw(), or after it ran out of memory'
                : 'the world was destroyed');
        }

        /// Throws the last error if there is one.
        #check() {
            const world = this.#usable;
            C.talus_world_last_error(error, world);
            if (m.I32[(error + offset('TalusError', 'code')) >> 2] === 0) return;
            C.talus_world_clear_error(world);
            refused();
        }
        #refuse() {
            this.#check();
            throw new TalusError('badArgument', 'the call was refused');
        }
        /// Takes the result of a call that changes the world.
        #changed(done) {
            if (done) return;
            try {
                this.#refuse();
            } catch (failure) {
                if (failure.code === 'outOfMemory') this.#usable = 0;  // only destroy() and assign() are allowed now
                throw failure;
            }
        }
        /// Returns the result of a call that returns 0 or infinity, too, if it is refused.
        #found(result) {
            if (!result || result === Infinity) this.#check();
            return result;
        }

        // ---- The world as a whole ----

        static load(bytes, assets) {
            m.begin();
            const { pointer, length } = m.bytes(bytes, 'bytes');
            return World.#adopt(C.talus_world_load(pointer, length, assetsOf(assets), error));
        }
        static applyChanges(since, changes) {
            m.begin();
            const [a, b] = [m.bytes(since, 'since'), m.bytes(changes, 'changes')];
            C.talus_world_apply_changes(out, a.pointer, a.length, b.pointer, b.length, error);
            return takeBytes();
        }
        save(assets) {
            C.talus_world_save(out, this.#world(), assetsOf(assets), error);
            return takeBytes();
        }
        saveChanges(since, assets) {
            const world = this.#world();
            const { pointer, length } = m.bytes(since, 'since');
            C.talus_world_save_changes(out, world, pointer, length, assetsOf(assets), error);
            return takeBytes();
        }
        clone() {
            const copy = World.#adopt(C.talus_world_clone(this.#world(), error));
            copy.#modifier = this.#modifier;
            return copy;
        }
        assign(from) {
            if (!(from instanceof World)) throw wrong('from', 'a World', from);
            const source = from.#world();
            if (!this.#pointer || this.#steps) this.#unusable();
            this.#usable = this.#pointer;
            this.#changed(C.talus_world_assign(this.#pointer, source));
            this.#modifier = from.#modifier;
        }
        destroy() {
            m.checkIdle();
            if (this.#steps) this.#unusable();
            C.talus_world_destroy(this.#pointer);
            this.#pointer = this.#usable = 0;
            destroyed.unregister(this);
        }

        step(dt) {
            const world = this.#world();
            number(dt, 'dt');
            const modifier = this.#modifier;
            const moved = modifier
                ? this.#run({ modifier }, () => C.talus_world_step(world, dt, jobs))
                : C.talus_world_step(world, dt, jobs);
            if (jobs) m.refreshIfGrown();
            this.#changed(moved);
        }
        #steps = false;
        #run(functions, f) {
            const world = this.#usable;
            this.#steps = true;
            this.#usable = 0;
            try {
                return run(functions, f);
            } finally {
                this.#steps = false;
                this.#usable = world;
            }
        }

        setContactModifier(modifier) {
            const world = this.#world();
            if (modifier !== null) func(modifier, 'modifier');
            this.#changed(C.talus_js_modify_contacts(world, modifier !== null));
            this.#modifier = modifier;
        }

        // ---- Bodies ----

        addBody(def) {
            const world = this.#world();
            return this.#added(C.talus_world_add_body(world, m.temporary('TalusBodyDef', def, 'def')), library.high(), (handle) =>
                C.talus_world_remove_body(world, ...handle));
        }
        /// Returns the handle of what was added, as a number.
        #added(low, high, remove) {
            if (!low) this.#changed(false);
            try {
                return packed(low, high);
            } catch (failure) {
                remove([low, high]);
                throw failure;
            }
        }
        addBodies(defs) {
            const world = this.#world();
            const { pointer, count } = m.list('TalusBodyDef', defs, 'defs');
            const handles = m.allocate(count * 8);
            this.#changed(C.talus_world_add_bodies(world, pointer, count, handles));
            return handlesAt(handles, count);
        }
        removeBody(body) {
            this.#changed(C.talus_world_remove_body(this.#world(), low(body, 'body'), high(body)));
        }
        isValidBody(body) {
            return C.talus_world_is_valid_body(this.#world(), lowOrNull(body, 'body'), high(body)) !== 0;
        }

        /// Throws if there is no such body.
        #valid(world, body) {
            if (!C.talus_world_is_valid_body(world, low(body, 'body'), high(body))) this.#refuse();
        }
        /// Returns three or four numbers that f() says of a body, in `to`: a list, or an object with x, y and z.
        #numbers(f, view, count, body, to) {
            const isList = isListOf(to, count);  // first, as it may call a getter of the user's
            const world = this.#world();
            f(out, world, low(body, 'body'), high(body));
            this.#valid(world, body);
            const memory = m[view], first = view === 'F64' ? out >> 3 : out >> 2;
            if (isList) {
                for (let i = 0; i < count; ++i) to[i] = memory[first + i];
            } else {
                const x = memory[first], y = memory[first + 1], z = memory[first + 2], w = memory[first + 3];
                to.x = x;  // may be a setter of the user's
                to.y = y;
                to.z = z;
                if (count === 4) to.w = w;
            }
            return to;
        }
        #scalar(f, body) {
            const world = this.#world();
            const value = f(world, low(body, 'body'), high(body));
            if (!value) this.#valid(world, body);
            return value;
        }
        #struct(f, type, body) {
            const world = this.#world();
            f(out, world, low(body, 'body'), high(body));
            this.#valid(world, body);
            return m.codec(type).read(out);
        }

        position(body, to = [0, 0, 0]) { return this.#numbers(C.talus_world_position, 'F64', 3, body, to); }
        rotation(body, to = [0, 0, 0, 1]) { return this.#numbers(C.talus_world_rotation, 'F32', 4, body, to); }
        transform(body) { return this.#struct(C.talus_world_body_transform, 'TalusWorldTransform', body); }
        centerOfMass(body, to = [0, 0, 0]) { return this.#numbers(C.talus_world_center_of_mass, 'F64', 3, body, to); }
        linearVelocity(body, to = [0, 0, 0]) { return this.#numbers(C.talus_world_linear_velocity, 'F32', 3, body, to); }
        angularVelocity(body, to = [0, 0, 0]) { return this.#numbers(C.talus_world_angular_velocity, 'F32', 3, body, to); }
        force(body, to = [0, 0, 0]) { return this.#numbers(C.talus_world_force, 'F32', 3, body, to); }
        torque(body, to = [0, 0, 0]) { return this.#numbers(C.talus_world_torque, 'F32', 3, body, to); }
        inertia(body) { return this.#struct(C.talus_world_inertia, 'TalusMat3', body); }
        bounds(body) { return this.#struct(C.talus_world_bounds, 'TalusWorldAabb', body); }
        mass(body) { return this.#scalar(C.talus_world_mass, body); }
        type(body) { return enumWord('TalusBodyType', this.#scalar(C.talus_world_type, body)); }
        isAwake(body) { return this.#scalar(C.talus_world_is_awake, body) !== 0; }
        gravityScale(body) { return this.#scalar(C.talus_world_gravity_scale, body); }
        locks(body) { return this.#scalar(C.talus_world_locks, body); }
        linearDamping(body) { return this.#scalar(C.talus_world_linear_damping, body); }
        angularDamping(body) { return this.#scalar(C.talus_world_angular_damping, body); }
        maxSpeed(body) { return this.#scalar(C.talus_world_max_speed, body); }
        maxSpin(body) { return this.#scalar(C.talus_world_max_spin, body); }
        shapeCount(body) { return this.#scalar(C.talus_world_shape_count, body); }
        userData(body) { return wide(this.#scalar(C.talus_world_user_data, body), library.high()); }

        poses(bodies, origin = zero) {
            const world = this.#world();
            const at = finitePoint(origin, 'origin', 'poses');
            return this.#states(bodies, 'poses', 7, (list, count) =>
                C.talus_world_read_poses(world, list, count, at, block.numbers));
        }
        velocities(bodies) {
            const world = this.#world();
            return this.#states(bodies, 'velocities', 6, (list, count) =>
                C.talus_world_read_velocities(world, list, count, block.numbers));
        }
        /// Returns a view of the `width` numbers that read() writes of each body.
        #states(bodies, call, width, read) {
            const { pointer, length } = handlesOf(bodies);
            grow(length);
            if (read(pointer, length)) return floats(width * length);
            for (let i = 0, p = pointer >> 2; i < length; ++i, p += 2) {
                if (C.talus_world_is_valid_body(this.#usable, m.U32[p], m.U32[p + 1])) continue;
                throw new TalusError('staleHandle', `${call}: bodies[${i}] is ${bodies[i]}; it must be the handle of a body of ` +
                    'this world that was not removed (see isValidBody)');
            }
            this.#refuse();
        }

        describeBody(body) {
            const p = C.talus_world_describe_body(this.#world(), low(body, 'body'), high(body));
            if (!p) this.#refuse();
            const owner = {};  // keeps the definition, and so its hulls, mappings and meshes
            freed.register(owner, p);
            const { shape, mesh, material, meshMaterials, density, sensor, hitEvents, modifyContacts, filter, ...def } =
                library.ownedBy(owner, () => m.codec('TalusBodyDef').read(p));
            return def;  // without the fields of a body's only shape: all are in `shapes`
        }

        // ---- Changes of bodies ----

        setTransform(body, position, orientation) {
            this.#changed(C.talus_world_set_transform(this.#world(), low(body, 'body'), high(body), point(position, 'position'),
                rotation(orientation, 'rotation')));
        }
        setKinematicTarget(body, position, orientation) {
            this.#changed(C.talus_world_set_kinematic_target(this.#world(), low(body, 'body'), high(body),
                point(position, 'position'), rotation(orientation, 'rotation')));
        }
        #setVector(f, body, value, name) {
            this.#changed(f(this.#world(), low(body, 'body'), high(body), vector(value, name)));
        }
        setLinearVelocity(body, velocity) { this.#setVector(C.talus_world_set_linear_velocity, body, velocity, 'velocity'); }
        setAngularVelocity(body, velocity) { this.#setVector(C.talus_world_set_angular_velocity, body, velocity, 'velocity'); }
        applyForce(body, force) { this.#setVector(C.talus_world_apply_force, body, force, 'force'); }
        applyTorque(body, torque) { this.#setVector(C.talus_world_apply_torque, body, torque, 'torque'); }
        applyImpulse(body, impulse) { this.#setVector(C.talus_world_apply_impulse, body, impulse, 'impulse'); }
        applyAngularImpulse(body, impulse) { this.#setVector(C.talus_world_apply_angular_impulse, body, impulse, 'impulse'); }
        applyForceAt(body, force, at) {
            this.#changed(C.talus_world_apply_force_at(this.#world(), low(body, 'body'), high(body), vector(force, 'force'),
                point(at, 'point')));
        }
        applyImpulseAt(body, impulse, at) {
            this.#changed(C.talus_world_apply_impulse_at(this.#world(), low(body, 'body'), high(body),
                vector(impulse, 'impulse'), point(at, 'point')));
        }

        #set(f, body, ...values) {
            this.#changed(f(this.#world(), low(body, 'body'), high(body), ...values));
        }
        setGravityScale(body, scale) { this.#set(C.talus_world_set_gravity_scale, body, number(scale, 'scale')); }
        setLocks(body, locks) { this.#set(C.talus_world_set_locks, body, integer(locks, 'locks', 0, 255)); }
        setDamping(body, linear, angular) {
            this.#set(C.talus_world_set_damping, body, number(linear, 'linear'), number(angular, 'angular'));
        }
        setSpeedLimits(body, maxSpeed, maxSpin) {
            this.#set(C.talus_world_set_speed_limits, body, number(maxSpeed, 'maxSpeed'), number(maxSpin, 'maxSpin'));
        }
        setContinuous(body, continuous) {
            this.#set(C.talus_world_set_continuous, body, word('TalusContinuous', continuous, 'continuous'));
        }
        setType(body, type) { this.#set(C.talus_world_set_type, body, word('TalusBodyType', type, 'type')); }
        setMass(body, mass) { this.#set(C.talus_world_set_mass, body, number(mass, 'mass')); }
        setUserData(body, userData) { this.#set(C.talus_world_set_user_data, body, ...halves(userData, 'userData')); }
        setAwake(body, awake) { this.#set(C.talus_world_set_awake, body, boolean(awake, 'awake')); }

        // These have structures as arguments, which are written after the temporary memory has begun.
        #setStruct(f, body, type, value, name, ...before) {
            const world = this.#world();
            const p = m.temporary(type, value, name);
            this.#changed(f(world, low(body, 'body'), high(body), ...before, p));
        }
        setShape(body, shape, geometry) {
            this.#setStruct(C.talus_world_set_shape, body, 'TalusShape', geometry, 'geometry', index(shape, 'shape'));
        }
        setMaterial(body, shape, material) {
            this.#setStruct(C.talus_world_set_material, body, 'TalusMaterial', material, 'material', index(shape, 'shape'));
        }
        setFilter(body, shape, filter) {
            this.#setStruct(C.talus_world_set_filter, body, 'TalusFilter', filter, 'filter', index(shape, 'shape'));
        }
        setMassProperties(body, properties) {
            this.#setStruct(C.talus_world_set_mass_properties, body, 'TalusMassProperties', properties, 'properties');
        }
        setShapes(body, shapes) {
            const world = this.#world();
            const { pointer, count } = m.list('TalusShapeDef', shapes, 'shapes');
            this.#changed(C.talus_world_set_shapes(world, low(body, 'body'), high(body), pointer, count));
        }

        // ---- Settings ----

        gravity() {
            C.talus_world_gravity(out, this.#world());
            return vec3.read(out);
        }
        setGravity(gravity) { this.#changed(C.talus_world_set_gravity(this.#world(), vector(gravity, 'gravity'))); }
        settings() {
            C.talus_world_settings(out, this.#world());
            return m.codec('TalusWorldDef').read(out);
        }
        setSettings(settings) {
            const world = this.#world();
            const p = m.allocate(structs.TalusWorldDef.size);
            C.talus_world_settings(p, world);
            m.codec('TalusWorldDef').write(p, settings, 'settings');
            this.#changed(C.talus_world_set_settings(world, p));
        }
        setAllowSleep(allow) { this.#changed(C.talus_world_set_allow_sleep(this.#world(), boolean(allow, 'allow'))); }
        setHitSpeed(speed) { this.#changed(C.talus_world_set_hit_speed(this.#world(), number(speed, 'speed'))); }

        // ---- Joints ----

        addJoint(def) {
            const world = this.#world();
            return this.#added(C.talus_world_add_joint(world, m.temporary('TalusJointDef', def, 'def')), library.high(),
                (handle) => C.talus_world_remove_joint(world, ...handle));
        }
        removeJoint(joint) { this.#changed(C.talus_world_remove_joint(this.#world(), low(joint, 'joint'), high(joint))); }
        isValidJoint(joint) {
            return C.talus_world_is_valid_joint(this.#world(), lowOrNull(joint, 'joint'), high(joint)) !== 0;
        }
        jointFrames(bodyA, bodyB, anchor, axis = [1, 0, 0]) {
            C.talus_world_joint_frames(out, this.#world(), low(bodyA, 'bodyA'), high(bodyA), low(bodyB, 'bodyB'), high(bodyB),
                finitePoint(anchor, 'anchor', 'jointFrames'), finiteVector(axis, 'axis', 'jointFrames'));
            this.#check();
            return m.codec('TalusJointFrames').read(out);
        }

        /// Returns what f() says of a joint: a number, or a structure of that type.
        #joint(f, type, joint, ...values) {
            const world = this.#world();
            if (type === 'number') return this.#found(f(world, low(joint, 'joint'), high(joint), ...values));
            f(out, world, low(joint, 'joint'), high(joint), ...values);
            this.#check();
            return m.codec(type).read(out);
        }
        describeJoint(joint) {
            if (!C.talus_world_describe_joint(this.#world(), low(joint, 'joint'), high(joint), out)) this.#refuse();
            return m.codec('TalusJointDef').read(out);
        }
        kind(joint) { return enumWord('TalusJointKind', this.#joint(C.talus_world_kind, 'number', joint)); }
        frames(joint) { return this.#joint(C.talus_world_frames, 'TalusJointFrames', joint); }
        bodyA(joint) { return packed(this.#joint(C.talus_world_body_a, 'number', joint), library.high()); }
        bodyB(joint) { return packed(this.#joint(C.talus_world_body_b, 'number', joint), library.high()); }
        jointUserData(joint) { return wide(this.#joint(C.talus_world_joint_user_data, 'number', joint), library.high()); }
        jointCoordinate(joint, axis = 'main') {
            return this.#joint(C.talus_world_joint_coordinate, 'number', joint, axisOf(axis));
        }
        jointSpeed(joint, axis = 'main') { return this.#joint(C.talus_world_joint_speed, 'number', joint, axisOf(axis)); }
        jointForce(joint) { return this.#joint(C.talus_world_joint_force, 'TalusVec3', joint); }
        jointTorque(joint) { return this.#joint(C.talus_world_joint_torque, 'TalusVec3', joint); }
        jointMotorForce(joint, axis = 'main') {
            return this.#joint(C.talus_world_joint_motor_force, 'number', joint, axisOf(axis));
        }
        jointStiffness(joint, axis = 'main') {
            return this.#joint(C.talus_world_joint_stiffness, 'number', joint, axisOf(axis));
        }
        jointLimit(joint, axis = 'main') {
            return this.#joint(C.talus_world_joint_limit, 'TalusJointLimit', joint, axisOf(axis));
        }
        jointMotor(joint, axis = 'main') {
            return this.#joint(C.talus_world_joint_motor, 'TalusJointMotor', joint, axisOf(axis));
        }
        jointSpring(joint, axis = 'main') {
            return this.#joint(C.talus_world_joint_spring, 'TalusJointSpring', joint, axisOf(axis));
        }
        jointCone(joint) { return this.#joint(C.talus_world_joint_cone, 'number', joint); }
        jointDrive(joint) { return this.#joint(C.talus_world_joint_drive, 'TalusJointDrive', joint); }

        #setJoint(f, joint, type, value, name, ...after) {
            const world = this.#world();
            const p = m.temporary(type, value, name);
            this.#changed(f(world, low(joint, 'joint'), high(joint), p, ...after));
        }
        setJointLimit(joint, limit, axis = 'main') {
            this.#setJoint(C.talus_world_set_joint_limit, joint, 'TalusJointLimit', limit, 'limit', axisOf(axis));
        }
        setJointMotor(joint, motor, axis = 'main') {
            this.#setJoint(C.talus_world_set_joint_motor, joint, 'TalusJointMotor', motor, 'motor', axisOf(axis));
        }
        setJointSpring(joint, spring, axis = 'main') {
            this.#setJoint(C.talus_world_set_joint_spring, joint, 'TalusJointSpring', spring, 'spring', axisOf(axis));
        }
        setJointDrive(joint, drive) {
            this.#setJoint(C.talus_world_set_joint_drive, joint, 'TalusJointDrive', drive, 'drive');
        }
        #setOfJoint(f, joint, ...values) {
            this.#changed(f(this.#world(), low(joint, 'joint'), high(joint), ...values));
        }
        setJointCone(joint, cone) { this.#setOfJoint(C.talus_world_set_joint_cone, joint, number(cone, 'cone')); }
        setJointBreak(joint, force, torque) {
            this.#setOfJoint(C.talus_world_set_joint_break, joint, number(force, 'force'), number(torque, 'torque'));
        }
        setJointCollideConnected(joint, collide) {
            this.#setOfJoint(C.talus_world_set_joint_collide_connected, joint, boolean(collide, 'collide'));
        }
        jointsOf(body) {
            const world = this.#world();
            const [lower, upper] = [low(body, 'body'), high(body)];
            return this.#some(handles((p, n) => C.talus_world_joints_of(world, lower, upper, p, n)));
        }
        joints() {
            const world = this.#world();
            return handles((p, n) => C.talus_world_joints(world, p, n));
        }
        jointCount() { return C.talus_world_joint_count(this.#world()); }

        // ---- Queries ----

        rayCast(origin, translation, filter) {
            const world = this.#world();
            C.talus_world_ray_cast(out, world, rayOf(origin, translation), filterOf(filter));
            return this.#found(hitAt(out));
        }
        rayCastAny(origin, translation, filter) {
            const world = this.#world();
            return this.#found(C.talus_world_ray_cast_any(world, rayOf(origin, translation), filterOf(filter))) !== 0;
        }
        rayCastAll(origin, translation, filter) {
            const world = this.#world();
            const [ray, mask] = [rayOf(origin, translation), filterOf(filter)];
            return this.#some(list(castHit, (p, n) => C.talus_world_ray_cast_all(world, ray, mask, p, n)));
        }
        rayCasts(rays, filter) {
            return this.#casts(C.talus_world_ray_casts, 'TalusRay', rays, 'rays', filter);
        }
        shapeCast(shape, pose, translation, filter) {
            const world = this.#world();
            C.talus_world_shape_cast(out, world, castOf(shape, pose, translation), filterOf(filter));
            return this.#found(hitAt(out));
        }
        shapeCastAny(shape, pose, translation, filter) {
            const world = this.#world();
            return this.#found(C.talus_world_shape_cast_any(world, castOf(shape, pose, translation), filterOf(filter))) !== 0;
        }
        shapeCastAll(shape, pose, translation, filter) {
            const world = this.#world();
            const [cast, mask] = [castOf(shape, pose, translation), filterOf(filter)];
            return this.#some(list(castHit, (p, n) => C.talus_world_shape_cast_all(world, cast, mask, p, n)));
        }
        shapeCasts(casts, filter) {
            return this.#casts(C.talus_world_shape_casts, 'TalusShapeCast', casts, 'casts', filter);
        }
        #casts(f, type, casts, name, filter) {
            const world = this.#world();
            const { pointer, count } = m.list(type, casts, name);
            const hits = m.allocate(count * castHit.size);
            this.#found(f(world, pointer, count, filterOf(filter), hits));
            return Array.from({ length: count }, (_, i) => hitAt(hits + i * castHit.size));
        }
        /// Returns a list; an empty one may be that of a refused call.
        #some(found) {
            if (found.length === 0) this.#check();
            return found;
        }

        overlapShape(shape, pose, filter) {
            const world = this.#world();
            const s = m.temporary('TalusShape', shape, 'shape');
            const t = m.temporary('TalusWorldTransform', pose, 'pose');
            const mask = filterOf(filter);
            return this.#some(handles((p, n) => C.talus_world_overlap_shape(world, s, t, mask, p, n)));
        }
        overlapBox(box, filter) {
            const world = this.#world();
            const [b, mask] = [m.temporary('TalusWorldAabb', box, 'box'), filterOf(filter)];
            return this.#some(handles((p, n) => C.talus_world_overlap_box(world, b, mask, p, n)));
        }
        overlapPoint(at, filter) {
            const world = this.#world();
            const [place, mask] = [point(at, 'point'), filterOf(filter)];
            return this.#some(handles((p, n) => C.talus_world_overlap_point(world, place, mask, p, n)));
        }
        overlapAnyShape(shape, pose, filter) {
            const world = this.#world();
            const s = m.temporary('TalusShape', shape, 'shape');
            const t = m.temporary('TalusWorldTransform', pose, 'pose');
            return this.#found(C.talus_world_overlap_any_shape(world, s, t, filterOf(filter))) !== 0;
        }
        overlapAnyBox(box, filter) {
            const world = this.#world();
            const b = m.temporary('TalusWorldAabb', box, 'box');
            return this.#found(C.talus_world_overlap_any_box(world, b, filterOf(filter))) !== 0;
        }
        overlapAnyPoint(at, filter) {
            const world = this.#world();
            return this.#found(C.talus_world_overlap_any_point(world, point(at, 'point'), filterOf(filter))) !== 0;
        }
        nearest(at, count, maxDistance, filter) {
            const world = this.#world();
            const codec = m.codec('TalusNearHit');
            const capacity = Math.min(integer(count, 'count', 0, 0xffffffff), C.talus_world_body_count(world));
            const hits = m.allocate(capacity * codec.size);
            const found = C.talus_world_nearest(world, point(at, 'point'), number(maxDistance, 'maxDistance'), filterOf(filter),
                hits, capacity);
            return this.#some(Array.from({ length: found }, (_, i) => codec.read(hits + i * codec.size)));
        }

        // ---- Results of the last step ----

        #list(f, type) {
            const world = this.#world();
            return list(m.codec(type), (p, n) => f(world, p, n));
        }
        contactsBegun() { return this.#list(C.talus_world_contacts_begun, 'TalusContactEvent'); }
        contactsEnded() { return this.#list(C.talus_world_contacts_ended, 'TalusContactEvent'); }
        contactsHit() { return this.#list(C.talus_world_contacts_hit, 'TalusHitEvent'); }
        jointsBroken() { return this.#list(C.talus_world_joints_broken, 'TalusJointEvent'); }
        movedBodies() { return this.#list(C.talus_world_moved_bodies, 'TalusMovedBody'); }
        contacts() { return this.#list(C.talus_world_contacts, 'TalusContact'); }
        contactsOf(body) {
            const world = this.#world();
            const [lower, upper] = [low(body, 'body'), high(body)];
            return this.#some(list(m.codec('TalusContact'), (p, n) => C.talus_world_contacts_of(world, lower, upper, p, n)));
        }
        pairs() { return this.#list(C.talus_world_pairs, 'TalusPairInfo'); }

        moved(origin = zero) {
            const world = this.#world();
            const at = finitePoint(origin, 'origin', 'moved');
            const read = () => C.talus_world_moved_poses(world, at, block.numbers, block.bodies, block.capacity);
            const count = read();
            if (count > block.capacity) {
                grow(count);
                read();
            }
            C.talus_js_pack(block.bodies, count);
            return { count, poses: floats(7 * count), bodies: new Float64Array(m.F64.buffer, block.bodies, count) };
        }

        island(body) {
            const world = this.#world();
            const island = C.talus_world_island(world, low(body, 'body'), high(body)) >>> 0;
            if (island !== none) return island;
            this.#valid(world, body);
            return null;
        }
        bodies() {
            const world = this.#world();
            return handles((p, n) => C.talus_world_bodies(world, p, n));
        }
        bodyCount() { return C.talus_world_body_count(this.#world()); }
        awakeBodyCount() { return C.talus_world_awake_body_count(this.#world()); }
        hash() { return hex(C.talus_world_hash(this.#world()), library.high()); }
        profile() {
            C.talus_world_profile(out, this.#world());
            return m.codec('TalusProfile').read(out);
        }
        memory() {
            C.talus_world_memory(out, this.#world());
            return m.codec('TalusMemory').read(out);
        }

        draw(functions, options = {}) {
            const world = this.#world();
            if (functions === null || typeof functions !== 'object') throw wrong('functions', 'an object', functions);
            for (const name of ['line', 'point', 'triangle', 'text']) {
                if (functions[name] !== undefined) func(functions[name], name);
            }
            const p = m.temporary('TalusDebugDrawOptions', options, 'options');
            for (const name of ['normalLength', 'impulseScale', 'velocityScale']) {
                finite(m.F32[(p + offset('TalusDebugDrawOptions', name)) >> 2], name, 'draw', 'finite');
            }
            for (const name of ['lower', 'upper']) {
                const values = dvec3.read(p + offset('TalusDebugDrawOptions', 'region') + offset('TalusWorldAabb', name));
                if (!values.some(Number.isNaN)) continue;
                throw new TalusError('notFinite',
                    `draw: region.${name} is (${values.join(', ')}); it must be numbers or infinities (m)`);
            }
            if (!this.#run(functions, () => C.talus_js_draw(world, p))) this.#refuse();
        }
    };
}

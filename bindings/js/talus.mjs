// Talus for JavaScript: rigid-body physics in the browser and in Node.
//
//     import { load } from 'talus-physics';
//     const talus = await load();
//     const world = new talus.World();
//     world.addBody({ type: 'fixed', shape: talus.box(50, 1, 50), position: [0, -1, 0] });
//     const crate = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 10, 0] });
//     for (let i = 0; i < 240; ++i) world.step(1 / 60);
//     console.log(world.position(crate)[1]);
//
// talus.d.ts describes every function. This file has load() and the functions that need no world; world.mjs has the class
// World, module.mjs loads the library's code, threads.mjs starts its threads, and memory.mjs converts between JavaScript's
// values and the library's structures.

import { enums, locks, structs } from './layout.mjs';
import {
    boolean, finite, hex, hidden, index, integer, lowOrNull, Memory, missing, number, TalusError, translated, word, wrong,
} from './memory.mjs';
import { canShare, compiled, hasVectors, instantiated, isShared, isTalus } from './module.mjs';
import { startWorkers } from './threads.mjs';
import { makeWorld } from './world.mjs';

export { TalusError };

// ---- Loading --------------------------------------------------------------------------------------------------------

export async function load(options = {}) {
    if (options === null || typeof options !== 'object') throw wrong('options', 'an object', options);
    const { threads = 1, simd = hasVectors, wasm, worker, ...others } = options;
    for (const name of Object.keys(others)) throw new TypeError(`options has no field ${name}`);
    integer(threads, 'threads', 1, 1024);
    boolean(simd, 'simd');
    const shared = threads > 1 && simd && canShare();
    const module = await compiled(wasm ?? (shared ? new URL('./talus-threads.wasm', import.meta.url)
        : simd ? new URL('./talus-simd.wasm', import.meta.url) : new URL('./talus.wasm', import.meta.url)));
    if (!isTalus(module)) throw wrong('wasm', 'a module of this package', 'another module');
    if (threads > 1 && wasm !== undefined && canShare() && !isShared(module)) {
        throw new TypeError(`threads is ${threads}, and the module that wasm gives has one thread: give talus-threads.wasm`);
    }
    const calls = {};
    let memory;
    let high = 0;
    const { C, buffer } = await instantiated(module, { calls, grown: () => memory?.grown(), high: (half) => (high = half) });
    memory = new Memory(C, buffer);
    const workers = threads > 1 && isShared(module) ? await startWorkers(C, memory, module, buffer, threads - 1, worker) : null;
    return makeApi(C, memory, calls, () => high, workers);
}

// ---- The functions of one loaded library ----------------------------------------------------------------------------

function makeApi(C, m, calls, high, workers) {
    const error = m.permanent(structs.TalusError.size);
    const out = m.permanent(256);
    const { code, message } = structs.TalusError.fields;

    /// Throws the error at `error`.
    function refused() {
        const number = m.I32[(error + code[1]) >> 2];
        if (number === 0) throw new TalusError('badArgument', 'the call was refused');
        throw new TalusError(enums.TalusErrorCode[number], translated(m.textAt(error + message[1])));
    }

    // ---- Hulls, mappings and meshes ----

    /// What classes have in common whose objects own something of the library's. It goes with the object, or by
    /// release().
    function owning(what, destroy) {
        const pointers = new WeakMap();
        const owners = new WeakMap();
        const registry = new FinalizationRegistry(destroy);
        return {
            Base: class {
                constructor(pointer) {
                    pointers.set(this, pointer);
                    registry.register(this, pointer, this);
                }
                release() {
                    const pointer = pointers.get(this);
                    if (pointer === undefined) throw wrong('this', what, this);
                    m.checkIdle();
                    if (registry.unregister(this)) destroy(pointer);
                    pointers.set(this, 0);
                }
            },
            pointerOf(object) {
                const pointer = pointers.get(object);
                if (pointer === undefined) throw wrong('this', what, object);
                if (pointer === 0) throw new TalusError('badArgument', `${what} that was released cannot be used`);
                return pointer;
            },
            /// Returns an object whose pointer is valid as long as `owner` is alive.
            borrow(Class, pointer, owner) {
                const object = Object.create(Class.prototype);
                pointers.set(object, pointer);
                owners.set(object, owner);
                return object;
            },
        };
    }
    const token = {};  // proves that this file calls a constructor
    const only = (given, how) => { if (given !== token) throw new TypeError(`use ${how}`); };

    const hulls = owning('a Hull', (pointer) => C.talus_hull_release(pointer));
    class Hull extends hulls.Base {
        constructor(given, pointer) {
            only(given, 'makeHull()');
            super(pointer);
        }
        volume() { return C.talus_hull_volume(hulls.pointerOf(this)); }
        vertices() {
            const hull = hulls.pointerOf(this);
            m.begin();
            const count = C.talus_hull_vertices(hull, 0, 0);
            const p = m.allocate(count * 12);
            C.talus_hull_vertices(hull, p, count);
            return m.F32.slice(p >> 2, (p >> 2) + 3 * count);
        }
        faces() {
            const hull = hulls.pointerOf(this);
            m.begin();
            const count = C.talus_hull_faces(hull, 0, 0);
            const p = m.allocate(count * 4);
            C.talus_hull_faces(hull, p, count);
            const numbers = Array.from(m.U32.subarray(p >> 2, (p >> 2) + count));
            const faces = [];
            for (let i = 0; i < count; i += 1 + numbers[i]) faces.push(numbers.slice(i + 1, i + 1 + numbers[i]));
            return faces;
        }
    }

    const mappings = owning('a Mapping', (pointer) => C.talus_mapping_release(pointer));
    class Mapping extends mappings.Base {
        constructor(given, pointer) {
            only(given, 'superellipsoid() or convexSum()');
            super(pointer);
        }
    }

    const meshes = owning('a Mesh', (pointer) => C.talus_mesh_release(pointer));
    class Mesh extends meshes.Base {
        constructor(given, pointer) {
            only(given, 'makeMesh() or makeHeightField()');
            super(pointer);
        }
        size() { return C.talus_mesh_size(meshes.pointerOf(this)); }
        bounds() {
            C.talus_mesh_bounds(out, meshes.pointerOf(this));
            return m.codec('TalusAabb').read(out);
        }
        triangle(i) {
            const size = this.size();
            if (index(i, 'index') >= size) {
                throw new TalusError('badArgument', `triangle: the index is ${i}; the mesh has ${size} triangles`);
            }
            const source = C.talus_mesh_triangle(meshes.pointerOf(this), i, out);
            return { points: [0, 12, 24].map((offset) => m.codec('TalusVec3').read(out + offset)), source };
        }
    }

    // Hulls, mappings and meshes that are read from a description belong to its owner.
    let owner = null;
    function ownedBy(newOwner, read) {
        owner = newOwner;
        try {
            return read();
        } finally {
            owner = null;
        }
    }
    const resource = (Class, { borrow, pointerOf }, what) => ({
        read: (p) => (m.U32[p >> 2] ? borrow(Class, m.U32[p >> 2], owner) : null),
        write: (p, value, name) => {
            if (value !== null && !(value instanceof Class)) throw wrong(name, what, value);
            m.U32[p >> 2] = value === null ? 0 : pointerOf(value);
        },
    });

    // ---- Codecs that layout.mjs does not say ----

    const at = (type, field) => structs[type].fields[field][1];

    /// A field that points to a list; the field with its length is elsewhere in the structure.
    function listField(type, field, countField, element) {
        const distance = at(type, countField) - at(type, field);
        m.defineField(`${type}.${countField}`, hidden);
        m.defineField(`${type}.${field}`, {
            read: (p) => {
                const [first, count] = [m.U32[p >> 2], m.U32[(p + distance) >> 2]];
                const codec = m.codec(element);
                return Array.from({ length: count }, (_, i) => codec.read(first + i * codec.size));
            },
            write: (p, values, name) => {
                const { pointer, count } = m.list(element, values, name);
                m.U32[p >> 2] = pointer;
                m.U32[(p + distance) >> 2] = count;
            },
        });
    }
    m.defineField('TalusShape.hull', resource(Hull, hulls, 'a Hull or null'));
    m.defineField('TalusShape.mapping', resource(Mapping, mappings, 'a Mapping or null'));
    m.defineField('TalusShapeDef.mesh', resource(Mesh, meshes, 'a Mesh or null'));
    m.defineField('TalusBodyDef.mesh', resource(Mesh, meshes, 'a Mesh or null'));
    listField('TalusShapeDef', 'meshMaterials', 'meshMaterialCount', 'TalusMaterial');
    listField('TalusBodyDef', 'meshMaterials', 'meshMaterialCount', 'TalusMaterial');
    listField('TalusBodyDef', 'shapes', 'shapeCount', 'TalusShapeDef');
    m.defineField('TalusBodyDef.massProperties', {
        read: (p) => (m.U32[p >> 2] ? m.codec('TalusMassProperties').read(m.U32[p >> 2]) : null),
        write: (p, value, name) => {
            m.U32[p >> 2] = value === null ? 0 : m.temporary('TalusMassProperties', value, name);
        },
    });

    // Masks of 32 bits: JavaScript's operators make them negative, as in ~1.
    for (const field of ['category', 'mask']) {
        m.defineField(`TalusFilter.${field}`, {
            read: (p) => m.U32[p >> 2],
            write: (p, value, name) => (m.U32[p >> 2] = integer(value, name, -0x80000000, 0xffffffff)),
        });
    }

    // Contacts have up to four points.
    for (const type of ['TalusContact', 'TalusContactModification']) {
        const [element, offset] = structs[type].fields.points;
        const distance = at(type, 'pointCount') - offset;
        m.defineField(`${type}.pointCount`, hidden);
        m.defineField(`${type}.points`, {
            read: (p) => Array.from({ length: m.I32[(p + distance) >> 2] }, (_, i) =>
                m.codec(element).read(p + i * structs[element].size)),
        });
    }

    // Numbers with another meaning.
    const rungNames = Array.from({ length: structs.TalusProfile.fields.rungs[2] }, (_, i) =>
        m.textAt(C.talus_rung_name(i)).replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));
    m.defineField('.triangle', { read: (p) => (m.U32[p >> 2] === 0xffffffff ? null : m.U32[p >> 2]) });
    m.defineField('.rung', { read: (p) => rungNames[m.I32[p >> 2]] });
    m.defineField('TalusPairInfo.state', { read: (p) => ['untested', 'separated', 'touching'][m.I32[p >> 2]] });
    m.defineField('TalusProfile.rungs', {
        read: (p) => Object.fromEntries(rungNames.map((name, i) =>
            [name, m.codec('TalusProfile.rungs').read(p + i * structs['TalusProfile.rungs'].size)])),
    });
    for (const name of Object.keys(structs['TalusProfile.hashes'].fields)) {
        m.defineField(`TalusProfile.hashes.${name}`, { read: (p) => hex(m.U32[p >> 2], m.U32[(p >> 2) + 1]) });
    }

    // A shape has the fields of its type only. It needs all of them, except for the radius of what need not be
    // rounded.
    const shapeFields = {
        sphere: ['radius'], capsule: ['radius', 'halfExtents'], segment: ['points', 'radius'], triangle: ['points', 'radius'],
        box: ['halfExtents', 'radius'], cylinder: ['halfExtents'], cone: ['halfExtents'], hull: ['hull', 'radius'],
        ellipsoid: ['halfExtents'], superellipsoid: ['mapping'], convexSum: ['mapping'],
    };
    const anyShape = m.codec('TalusShape');
    const needsFields = (write) => (p, shape, name) => {
        write(p, shape, name);
        const [first, second] = shapeFields[shape.type];
        if (shape[first] === undefined) throw missing(name, first);
        if (shape.type === 'capsule' && shape[second] === undefined) throw missing(name, second);
    };
    m.define('TalusShape', {
        ...anyShape,
        write: needsFields(anyShape.write),
        put: needsFields(anyShape.put),
        read: (p) => {
            const shape = anyShape.read(p);
            if (shape.type === 'segment') shape.points.length = 2;
            if ((shape.type === 'box' || shape.type === 'hull') && shape.radius === 0)
                return { type: shape.type, [shapeFields[shape.type][0]]: shape[shapeFields[shape.type][0]] };
            return Object.fromEntries(['type', ...shapeFields[shape.type]].map((name) => [name, shape[name]]));
        },
    });

    // The fields of a body's only shape have no effect beside a list of shapes.
    const ofOnlyShape = ['shape', 'mesh', 'material', 'meshMaterials', 'density', 'filter', 'sensor', 'hitEvents', 'modifyContacts'];
    const anyBody = m.codec('TalusBodyDef');
    m.define('TalusBodyDef', {
        ...anyBody,
        put: (p, def, name) => {
            anyBody.put(p, def, name);
            if (m.U32[(p + at('TalusBodyDef', 'shapeCount')) >> 2] === 0) return;
            const both = m.guard(() => ofOnlyShape.find((field) => def[field] !== undefined));
            if (both) throw new TypeError(`${name}.${both} and ${name}.shapes are both set; set ${both} in each of the shapes`);
        },
    });

    // A joint has the fields of its kind.
    const moved = (fields, by) => Object.fromEntries(Object.entries(fields).map(([name, [type, offset, count]]) =>
        [name, [type, offset + by, count]]));
    const { kind, frames, options, of } = structs.TalusJointDef.fields;
    const members = structs['TalusJointDef.of'].fields;
    const axis = structs.TalusJointAxisDef;
    const { limit: length, ...distance } = moved(axis.fields, at('TalusJointDef.of.distance', 'axis'));
    const special = {
        distance: { length, ...distance, restLength: structs['TalusJointDef.of.distance'].fields.restLength },
        sixDof: Object.fromEntries(enums.TalusJointAxis.slice(0, 6).map((name, i) => [name, [members.sixDof[0], i * axis.size]])),
        motor: { drive: members.motor },
    };
    function partOf(kindName, place, size) {
        const p = m.allocate(structs.TalusJointDef.size);
        C.talus_joint_def(p, enums.TalusJointKind.indexOf(kindName));
        return m.U8.slice(p + place, p + place + size);
    }
    m.begin();
    for (const [type, kindName, place] of [
        ['TalusJointLimit', 'hinge', of[1] + axis.fields.limit[1]],
        ['TalusJointMotor', 'hinge', of[1] + axis.fields.motor[1]],
        ['TalusJointSpring', 'hinge', of[1] + axis.fields.spring[1]],
        ['TalusJointAxisDef', 'sixDof', of[1]],
        ['TalusJointDrive', 'motor', of[1]],
        ['TalusJointFrames', 'hinge', frames[1]],
        ['TalusJointOptions', 'hinge', options[1]],
    ]) {
        const bytes = partOf(kindName, place, structs[type].size);
        m.defineDefaults(type, (p) => m.U8.set(bytes, p));
    }
    const joints = Object.fromEntries(enums.TalusJointKind.map((name) => {
        const fields = moved(special[name] ?? structs[members[name][0]].fields, of[1]);
        return [name, m.struct(`TalusJointDef.${name}`, structs.TalusJointDef.size,
            { kind, ...(name === 'gear' ? {} : { frames }), options, ...fields })];
    }));
    m.define('TalusJointDef', {
        size: structs.TalusJointDef.size,
        read: (p) => joints[m.codec('TalusJointKind').read(p + kind[1])].read(p),
        put: (p, value, name) => {
            if (value === null || typeof value !== 'object') throw wrong(name, 'an object', value);
            const chosen = m.guard(() => value.kind);
            C.talus_joint_def(p, word('TalusJointKind', chosen, 'kind'));
            joints[chosen].write(p, value, name);
        },
    });

    // Lists of numbers. The library trusts the lengths of those that have none in the structure: `lengths` is for
    // checks.
    let lengths = {};
    function numbersField(type, field, countField, view, { width = 1, nullable = false } = {}) {
        const distance = countField && at(type, countField) - at(type, field);
        if (countField) m.defineField(`${type}.${countField}`, hidden);
        m.defineField(`${type}.${field}`, {
            write: (p, value, name) => {
                if (value === null && nullable) return;
                const { pointer, length } = m.numbers(value, view, name, width);
                if (length % width !== 0) throw wrong(name, `a list whose length is a multiple of ${width}`, value);
                lengths[name] = length;
                m.U32[p >> 2] = pointer;
                if (countField) m.U32[(p + distance) >> 2] = length / width;
            },
        });
    }
    numbersField('TalusMeshDef', 'vertices', 'vertexCount', 'F32', { width: 3 });
    numbersField('TalusMeshDef', 'indices', 'indexCount', 'U32');
    numbersField('TalusMeshDef', 'materials', null, 'U8', { nullable: true });
    numbersField('TalusHeightFieldDef', 'heights', null, 'F32');
    numbersField('TalusHeightFieldDef', 'materials', null, 'U8', { nullable: true });
    numbersField('TalusHeightFieldDef', 'holes', null, 'U8', { nullable: true });

    function needLength(call, name, wanted) {
        if ((lengths[name] ?? wanted) === wanted) return;
        throw new TalusError('badArgument', `${call}: ${name} has ${lengths[name]} numbers; it must have ${wanted}`);
    }
    function meshDef(call, def) {
        m.begin();
        lengths = {};
        const p = m.temporary('TalusMeshDef', def, 'def');
        needLength(call, 'materials', Math.floor((lengths.indices ?? 0) / 3));
        return p;
    }

    function makeHull(points) {
        m.begin();
        const { pointer, length } = m.numbers(points, 'F32', 'points', 3);
        if (length % 3 !== 0) throw wrong('points', 'a list whose length is a multiple of 3', points);
        return new Hull(token, C.talus_hull_create(pointer, length / 3, error) || refused());
    }
    const makeMesh = (def) => new Mesh(token, C.talus_mesh_create(meshDef('makeMesh', def), error) || refused());
    function makeHeightField(def) {
        m.begin();
        lengths = {};
        const p = m.temporary('TalusHeightFieldDef', def, 'def');
        const [columns, rows] = ['columns', 'rows'].map((name) => m.U32[(p + at('TalusHeightFieldDef', name)) >> 2]);
        needLength('makeHeightField', 'heights', columns * rows);
        for (const name of ['materials', 'holes']) needLength('makeHeightField', name, (columns - 1) * (rows - 1));
        return new Mesh(token, C.talus_height_field_create(p, error) || refused());
    }
    const densityOf = (density, call) =>
        finite(density, 'density', call, 'a finite number >= 0 (kg/m^3)', (value) => value >= 0);
    function meshMassProperties(def, density) {
        const p = meshDef('meshMassProperties', def);
        if (!C.talus_mesh_mass_properties(p, densityOf(density, 'meshMassProperties'), out, error)) refused();
        return m.codec('TalusMassProperties').read(out);
    }

    // ---- Shapes ----

    const numbers = (values) => Object.entries(values).map(([name, value]) => number(value, name));
    /// Returns the shape that a function of the library makes. Throws if its numbers are not allowed.
    function shape(make, ...values) {
        m.checkIdle();
        make(out, ...values);
        if (!C.talus_check_shape(out, error)) refused();
        return m.codec('TalusShape').read(out);
    }
    /// Returns a temporary vector.
    function vector(value, name) {
        const p = m.allocate(12);
        m.codec('TalusVec3').write(p, value, name);
        return p;
    }
    function points(call, values) {
        m.begin();
        return Object.entries(values).map(([name, value]) => finiteVector(value, name, call));
    }

    /// Returns a temporary copy of a shape that the library accepts.
    function checked(value, name) {
        const p = m.temporary('TalusShape', value, name);
        if (!C.talus_check_shape(p, error)) refused();
        return p;
    }
    /// Throws unless the three or four numbers at a pointer are finite.
    function finiteAt(pointer, count, name, call) {
        const values = m.F32.subarray(pointer >> 2, (pointer >> 2) + count);
        if (values.every(Number.isFinite)) return pointer;
        throw new TalusError('notFinite', `${call}: ${name} is (${values.join(', ')}); it must be finite`);
    }
    function poseOf(value, call) {
        const p = m.temporary('TalusTransform', value, 'pose');
        const rotation = p + at('TalusTransform', 'rotation');
        finiteAt(p + at('TalusTransform', 'position'), 3, 'pose.position', call);
        finiteAt(rotation, 4, 'pose.rotation', call);
        if (m.F32.subarray(rotation >> 2, (rotation >> 2) + 4).every((x) => x === 0)) {
            throw new TalusError('badArgument',
                `${call}: pose.rotation is (0, 0, 0, 0); it must be a unit quaternion, or one that can be normalised`);
        }
        return p;
    }
    const finiteVector = (value, name, call) => finiteAt(vector(value, name), 3, name, call);

    /// Returns what f() says of a shape: a number, or a structure.
    function ofShape(f, type, value, ...values) {
        m.begin();
        const p = checked(value, 'shape');
        if (!type) return f(p);
        f(out, p, ...values);
        return m.codec(type).read(out);
    }
    function hitOf() {
        const { hit, ...result } = m.codec('TalusShapeHit').read(out);
        return hit ? result : null;
    }

    // ---- Tables of assets, clocks ----

    const tables = owning('an Assets', (pointer) => C.talus_assets_destroy(pointer));
    class Assets extends tables.Base {
        constructor() {
            super(C.talus_assets_create() || refused());
        }
        add(name, asset) {
            const table = tables.pointerOf(this);
            m.begin();
            let added;
            if (asset instanceof Hull) {
                added = C.talus_assets_add_hull(table, m.text(name, 'name'), hulls.pointerOf(asset));
            } else if (asset instanceof Mesh) {
                added = C.talus_assets_add_mesh(table, m.text(name, 'name'), meshes.pointerOf(asset));
            } else {
                throw wrong('asset', 'a Hull or a Mesh', asset);
            }
            if (!added) {
                throw new TalusError('badArgument',
                    `add: name is ${JSON.stringify(name)}, which is ${name ? 'used already' : 'empty'}; it must be new`);
            }
        }
    }

    const clocks = owning('a FixedStep', (pointer) => C.talus_fixed_step_destroy(pointer));
    class FixedStep extends clocks.Base {
        constructor(dt = 1 / 60, maxSteps = 8) {
            super(C.talus_fixed_step_create(finite(dt, 'dt', 'FixedStep', 'finite and > 0 (s)', (value) => value > 0),
                integer(maxSteps, 'maxSteps', 1, 0x7fffffff)) || refused());
        }
        advance(seconds) {
            return C.talus_fixed_step_advance(clocks.pointerOf(this), finite(seconds, 'seconds', 'advance', 'finite (s)'));
        }
        dt() { return C.talus_fixed_step_dt(clocks.pointerOf(this)); }
        alpha() { return C.talus_fixed_step_alpha(clocks.pointerOf(this)); }
        droppedSeconds() { return C.talus_fixed_step_dropped_seconds(clocks.pointerOf(this)); }
    }

    return Object.freeze({
        version: m.textAt(C.talus_version()),
        threads: workers ? workers.count + 1 : 1,
        tasksOfWorkers: () => workers?.tasks() ?? 0,
        TalusError,
        World: makeWorld({ C, memory: m, calls, jobs: workers?.jobs ?? 0, error, refused, high, Assets, tableOf: tables.pointerOf, ownedBy }),
        Hull,
        Mapping,
        Mesh,
        Assets,
        FixedStep,
        locks: Object.freeze({ ...locks }),
        asAdded: -1,  // TALUS_AS_ADDED
        slotOf: (handle) => {
            const half = lowOrNull(handle, 'handle');
            return half === 0 ? -1 : ~half;
        },

        sphere: (radius) => shape(C.talus_sphere, ...numbers({ radius })),
        capsule: (halfHeight, radius) => shape(C.talus_capsule, ...numbers({ halfHeight, radius })),
        box: (x, y, z) => {
            const halfExtents = numbers({ x, y, z });
            m.begin();
            return shape(C.talus_box, vector(halfExtents, 'halfExtents'));
        },
        cylinder: (halfHeight, radius) => shape(C.talus_cylinder, ...numbers({ halfHeight, radius })),
        cone: (halfHeight, radius) => shape(C.talus_cone, ...numbers({ halfHeight, radius })),
        ellipsoid: (x, y, z) => {
            const radii = numbers({ x, y, z });
            m.begin();
            return shape(C.talus_ellipsoid, vector(radii, 'radii'));
        },
        superellipsoid: (x, y, z, around, along) => {
            const radii = numbers({ x, y, z });
            const exponents = Object.entries({ around, along }).map(([name, exponent]) =>
                finite(exponent, name, 'superellipsoid', 'from 1 to 16', (value) => value >= 1 && value <= 16));
            m.begin();
            const made = C.talus_superellipsoid_create(vector(radii, 'radii'), ...exponents, error) || refused();
            return { type: 'superellipsoid', mapping: new Mapping(token, made) };
        },
        convexSum: (a, b) => {
            m.begin();
            const made = C.talus_convex_sum_create(checked(a, 'a'), checked(b, 'b'), error) || refused();
            return { type: 'convexSum', mapping: new Mapping(token, made) };
        },
        rounded: (of, radius) => {
            const more = finite(radius, 'radius', 'rounded', 'finite and >= 0 (m)', (value) => value >= 0);
            const sharp = ['box', 'hull', 'segment', 'triangle'].includes(of?.type);
            const result = sharp ? { ...of, radius: (of.radius ?? 0) + more } : of;
            m.begin();
            checked(result, 'shape');
            return result;
        },
        segment: (a, b, radius = 0) => shape(C.talus_segment, ...points('segment', { a, b }), ...numbers({ radius })),
        triangle: (a, b, c, radius = 0) => shape(C.talus_triangle, ...points('triangle', { a, b, c }), ...numbers({ radius })),
        hull: (of) => {
            if (!(of instanceof Hull)) throw wrong('hull', 'a Hull', of);
            return { type: 'hull', hull: of };
        },
        makeHull,
        makeMesh,
        makeHeightField,
        meshMassProperties,

        check: (shape) => {
            m.begin();
            checked(shape, 'shape');
        },
        bounds: (shape) => ofShape(C.talus_shape_bounds, 'TalusAabb', shape),
        boundingRadius: (shape) => ofShape(C.talus_shape_bounding_radius, null, shape),
        thickness: (shape) => ofShape(C.talus_shape_thickness, null, shape),
        isSolid: (shape) => ofShape(C.talus_shape_is_solid, null, shape) !== 0,
        massProperties: (shape, density) =>
            ofShape(C.talus_shape_mass_properties, 'TalusMassProperties', shape, densityOf(density, 'massProperties')),

        separation: (a, b, pose) => {
            m.begin();
            C.talus_separation(out, checked(a, 'a'), checked(b, 'b'), poseOf(pose, 'separation'));
            const { valid, ...result } = m.codec('TalusSeparation').read(out);
            if (!valid) throw new TalusError('badArgument', 'separation: the shapes or the pose are refused');
            return result;
        },
        rayCast: (shape, origin, translation) => {
            m.begin();
            C.talus_shape_ray_cast(out, checked(shape, 'shape'), finiteVector(origin, 'origin', 'rayCast'),
                finiteVector(translation, 'translation', 'rayCast'));
            return hitOf();
        },
        shapeCast: (a, b, pose, translation) => {
            m.begin();
            C.talus_shape_shape_cast(out, checked(a, 'a'), checked(b, 'b'), poseOf(pose, 'shapeCast'),
                finiteVector(translation, 'translation', 'shapeCast'));
            return hitOf();
        },
    });
}

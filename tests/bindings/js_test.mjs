// Tests of the package for JavaScript:
//
//     TALUS_JS=build/wasm/npm node --test tests/bindings/js_test.mjs
//
// TALUS_JS      the package's folder (bindings/js/package.sh makes it)
// TALUS_SO      libtalus.so of this machine: its hashes must be those of the package; without it, that test is skipped
// TALUS_CYCLES  worlds that the test of memory makes and destroys; default: 1000
// TALUS_TSC     the compiler of TypeScript: node_modules/typescript/bin/tsc; without it, that test is skipped

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { functionsOf, leftOut, readHeader } from '../../bindings/js/generate.mjs';
import { readTypes, textOf, wrongArguments } from './js_declarations.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = resolve(process.env.TALUS_JS ?? join(root, 'build/wasm/npm'));
const { load, TalusError } = await import(pathToFileURL(join(folder, 'talus.mjs')));
const { enums, structs } = await import(pathToFileURL(join(folder, 'layout.mjs')));

const talus = await load();
const plain = await load({ simd: false });
const dt = 1 / 60;

/// A world with a floor whose top is at y = 0.
function withFloor(t = talus, def) {
    const world = new t.World(def);
    const floor = world.addBody({ type: 'fixed', shape: t.box(50, 1, 50), position: [0, -1, 0] });
    return { world, floor };
}
const crateAt = (world, y, more) => world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, y, 0], ...more });
function steps(world, count) {
    for (let i = 0; i < count; ++i) world.step(dt);
}
const near = (actual, expected, tolerance) =>
    assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} within ${tolerance}`);
const nearAll = (actual, expected, tolerance) => {
    assert.equal(actual.length, expected.length);
    expected.forEach((value, i) => near(actual[i], value, tolerance));
};
const says = (text, f, code) => assert.throws(f, (error) => {
    assert.ok(error instanceof TalusError, `${error} is no TalusError`);
    assert.equal(error.name, 'TalusError');
    if (code) assert.equal(error.code, code, error.message);
    assert.match(error.message, text);
    return true;
});
const refuses = (code, text, f) => says(text, f, code);
const wrongType = (text, f) => assert.throws(f, (error) => {
    assert.ok(error instanceof TypeError, `${error} is no TypeError`);
    assert.match(error.message, text);
    return true;
});

/// Memory of the library, bytes.
const memoryOf = (world) => world.moved().poses.buffer.byteLength;

// ---- Bodies ---------------------------------------------------------------------------------------------------------

describe('bodies', () => {
    test('a crate that falls rests on the floor', () => {
        const { world } = withFloor();
        const crate = crateAt(world, 10);
        steps(world, 240);
        near(world.position(crate)[1], 0.5, 0.005);
        nearAll(world.rotation(crate), [0, 0, 0, 1], 1e-3);
    });

    test('handles are whole numbers, and slots small ones', () => {
        const { world, floor } = withFloor();
        const crate = crateAt(world, 1);
        assert.ok(Number.isSafeInteger(crate) && crate > 0);
        assert.deepEqual([talus.slotOf(floor), talus.slotOf(crate), talus.slotOf(0)], [0, 1, -1]);
        world.removeBody(crate);
        const next = crateAt(world, 1);
        assert.equal(talus.slotOf(next), 1);
        assert.notEqual(next, crate);
        assert.deepEqual([world.isValidBody(crate), world.isValidBody(next), world.isValidBody(0)], [false, true, false]);
    });

    test('every field of a definition comes back from describeBody()', () => {
        const world = new talus.World();
        const hull = talus.makeHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        const material = {
            friction: 0.25, restitution: 0.5, rollingResistance: 0.125, gripAxis: [1, 0, 0], gripAcross: 0.75,
            surfaceVelocity: [0, 0, 2],
        };
        const shape = {
            shape: talus.sphere(0.25), pose: { position: [1, 2, 3], rotation: [0, 1, 0, 0] }, material, density: 500,
            filter: { category: 2, mask: 0xfffffff0, group: -3 }, sensor: true, hitEvents: true, modifyContacts: true,
            mesh: null, meshMaterials: [],
        };
        const def = {
            type: 'dynamic', position: [1e6, 2, 3], rotation: [1, 0, 0, 0], linearVelocity: [1, 2, 3], angularVelocity: [4, 5, 6],
            shapes: [shape, { ...shape, shape: talus.hull(hull), sensor: false, pose: { position: [0, 0, 0], rotation: [0, 0, 0, 1] } }],
            massProperties: { mass: 8, center: [0.5, 0, 0], inertia: [1, 0, 0, 0, 2, 0, 0, 0, 2.5] },
            linearDamping: 0.25, angularDamping: 0.5, maxSpeed: 100, maxSpin: 50, gravityScale: -2,
            locks: talus.locks.turnX + talus.locks.z, allowSleep: false, continuous: 'all', userData: 2 ** 53 - 1,
        };
        const body = world.addBody(def);
        const said = world.describeBody(body);
        const hulls = [def, said].map((d) => d.shapes[1].shape.hull);
        assert.ok(hulls.every((h) => h instanceof talus.Hull));
        assert.deepEqual(hulls.map((h) => h.volume()), [hulls[0].volume(), hulls[0].volume()]);
        const withoutHull = (d) => ({ ...d, shapes: d.shapes.map((s) => ({ ...s, shape: { ...s.shape, hull: null } })) });
        assert.deepEqual(withoutHull({ ...said, linearVelocity: 0, angularVelocity: 0 }),
            withoutHull({ ...def, linearVelocity: 0, angularVelocity: 0 }));
        const copy = world.addBody(said);
        assert.deepEqual(withoutHull(world.describeBody(copy)), withoutHull(said));
        assert.equal(world.shapeCount(copy), 2);
    });

    test('getters and setters agree', () => {
        const { world } = withFloor();
        const crate = crateAt(world, 5);
        world.setTransform(crate, [1, 2, 3], [0, 0, 1, 0]);
        assert.deepEqual(world.transform(crate), { position: [1, 2, 3], rotation: [0, 0, 1, 0] });
        world.setLinearVelocity(crate, [1, 0, 0]);
        assert.deepEqual(world.linearVelocity(crate), [1, 0, 0]);
        world.setAngularVelocity(crate, { x: 0, y: 2, z: 0 });
        assert.deepEqual(world.angularVelocity(crate), [0, 2, 0]);
        assert.deepEqual(world.centerOfMass(crate), [1, 2, 3]);
        world.setGravityScale(crate, 0.5);
        world.setDamping(crate, 0.25, 0.5);
        world.setSpeedLimits(crate, 10, 20);
        assert.deepEqual([world.gravityScale(crate), world.linearDamping(crate), world.angularDamping(crate)], [0.5, 0.25, 0.5]);
        assert.deepEqual([world.maxSpeed(crate), world.maxSpin(crate)], [10, 20]);
        world.setLocks(crate, talus.locks.toPlaneXy);
        assert.equal(world.locks(crate), 28);
        world.setLocks(crate, 0);
        world.setMass(crate, 3);
        near(world.mass(crate), 3, 1e-6);
        world.setMassProperties(crate, { mass: 2, center: [0, 0, 0], inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] });
        nearAll(world.inertia(crate), [1, 0, 0, 0, 1, 0, 0, 0, 1], 1e-6);
        world.applyForce(crate, [1, 0, 0]);
        world.applyForceAt(crate, [0, 1, 0], [1, 2, 4]);
        world.applyTorque(crate, [0, 0, 1]);
        assert.deepEqual(world.force(crate), [1, 1, 0]);
        assert.deepEqual(world.torque(crate), [-1, 0, 1]);
        world.setLinearVelocity(crate, [0, 0, 0]);
        world.applyImpulse(crate, [2, 0, 0]);
        world.applyImpulseAt(crate, [2, 0, 0], [1, 2, 3]);
        nearAll(world.linearVelocity(crate), [2, 0, 0], 1e-6);
        world.setAngularVelocity(crate, [0, 0, 0]);
        world.applyAngularImpulse(crate, [0, 0, 1]);
        nearAll(world.angularVelocity(crate), [0, 0, 1], 1e-6);
        for (const data of [0, 5, 2 ** 53 - 1, 2n ** 64n - 1n]) {
            world.setUserData(crate, data);
            assert.equal(world.userData(crate), data);
        }
        world.setType(crate, 'kinematic');
        assert.equal(world.type(crate), 'kinematic');
        world.setKinematicTarget(crate, [1, 3, 3], [0, 0, 1, 0]);
        world.step(dt);
        near(world.position(crate)[1], 3, 1e-5);
        world.setType(crate, 'dynamic');
        world.setContinuous(crate, 'all');
        assert.equal(world.isAwake(crate), true);
        world.setAwake(crate, false);
        assert.equal(world.isAwake(crate), false);
        world.setShape(crate, 0, talus.sphere(1));
        assert.deepEqual(world.describeBody(crate).shapes[0].shape, { type: 'sphere', radius: 1 });
        nearAll(world.bounds(crate).upper, [2, 4, 4], 1e-3);
        world.setMaterial(crate, 0, { friction: 0.125 });
        world.setFilter(crate, 0, { category: 4 });
        assert.equal(world.describeBody(crate).shapes[0].material.friction, 0.125);
        assert.deepEqual(world.describeBody(crate).shapes[0].filter, { category: 4, mask: 0xffffffff, group: 0 });
        world.setShapes(crate, [{ shape: talus.sphere(1) }, { shape: talus.sphere(1), pose: { position: [2, 0, 0] } }]);
        assert.equal(world.shapeCount(crate), 2);
    });

    test('results can be written to what the caller has', () => {
        const world = new talus.World();
        const crate = crateAt(world, 3);
        const place = new Float64Array(3);
        assert.equal(world.position(crate, place), place);
        assert.deepEqual([...place], [0, 3, 0]);
    });

    /// As three.js's: `length` is a function, and the fields of a Quaternion are accessors.
    class Vector3 {
        constructor(x = 0, y = 0, z = 0) { Object.assign(this, { x, y, z }); }
        length() { return Math.hypot(this.x, this.y, this.z); }
    }
    class Quaternion {
        constructor() { Object.assign(this, { _x: 0, _y: 0, _z: 0, _w: 1 }); }
        length() { return Math.hypot(this._x, this._y, this._z, this._w); }
    }
    for (const name of ['x', 'y', 'z', 'w']) {
        Object.defineProperty(Quaternion.prototype, name, {
            get() { return this[`_${name}`]; },
            set(value) { this[`_${name}`] = value; },
        });
    }

    test('results written to a vector of three.js got the keys 0, 1 and 2', () => {
        const world = new talus.World();
        const crate = crateAt(world, 3, { rotation: [0, 0.6, 0, 0.8] });
        const [at, turn] = [new Vector3(), new Quaternion()];
        assert.equal(world.position(crate, at), at);
        assert.deepEqual({ ...at }, { x: 0, y: 3, z: 0 });
        assert.equal(world.rotation(crate, turn), turn);
        nearAll([turn.x, turn.y, turn.z, turn.w], [0, 0.6, 0, 0.8], 1e-6);
        assert.deepEqual(Object.keys(turn), ['_x', '_y', '_z', '_w']);
        for (const name of ['centerOfMass', 'linearVelocity', 'angularVelocity', 'force', 'torque']) {
            const value = world[name](crate);
            const filled = world[name](crate, new Vector3(7, 7, 7));
            assert.deepEqual({ ...filled }, { x: value[0], y: value[1], z: value[2] }, name);
        }
        for (const list of [[0, 0, 0], new Float32Array(3), new Float64Array(5), []]) {
            assert.deepEqual([...world.position(crate, list)].slice(0, 3), [0, 3, 0]);
            assert.deepEqual(Object.keys(list).slice(0, 3), ['0', '1', '2']);
        }
        wrongType(/^to must be a list, or an object with x, y and z, but is/, () => world.position(crate, {}));
        wrongType(/^to must be a list, or an object with x, y, z and w/, () => world.rotation(crate, new Vector3()));
    });

    test('vectors of three.js were refused as arguments, because their length is a function', () => {
        const world = new talus.World();
        const crate = world.addBody({ shape: talus.sphere(1), position: new Vector3(1, 2, 3), rotation: new Quaternion() });
        assert.deepEqual(world.position(crate), [1, 2, 3]);
        world.setLinearVelocity(crate, new Vector3(4, 5, 6));
        assert.deepEqual(world.linearVelocity(crate), [4, 5, 6]);
        const turn = new Quaternion();
        turn.x = 1;
        turn.w = 0;
        world.setTransform(crate, new Vector3(7, 8, 9), turn);
        assert.deepEqual(world.transform(crate), { position: [7, 8, 9], rotation: [1, 0, 0, 0] });
        const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]].map((corner) => new Vector3(...corner));
        near(talus.makeHull(corners).volume(), 1 / 6, 1e-6);
    });

    test('a setter or getter of what results are written to may call the library', () => {
        const world = new talus.World();
        const crate = crateAt(world, 3);
        const other = crateAt(world, 50);
        const got = {};
        world.position(crate, {
            get length() { world.position(other); return undefined; },
            set x(value) { got.x = value; world.position(other); }, get x() { return 0; },
            set y(value) { got.y = value; world.destroy(); }, get y() { return 0; },
            set z(value) { got.z = value; }, get z() { return 0; },
        });
        assert.deepEqual(got, { x: 0, y: 3, z: 0 });
        const second = new talus.World();
        const body = crateAt(second, 3);
        refuses('badArgument', /destroyed/, () => second.position(body, { get length() { second.destroy(); return 3; } }));
    });

    test('a mask that ~ made negative was refused', () => {
        const world = new talus.World();
        const crate = crateAt(world, 1, { filter: { category: 1 << 31, mask: ~1 } });
        assert.deepEqual(world.describeBody(crate).shapes[0].filter, { category: 2 ** 31, mask: 0xfffffffe, group: 0 });
        const ray = (filter) => world.rayCastAny([0, 5, 0], [0, -10, 0], filter);
        assert.deepEqual([ray({ mask: 1 << 31 }), ray({ mask: ~(1 << 31) }), ray({ mask: -1 })], [false, false, false]);
        const seen = { category: 2 };
        assert.deepEqual([ray({ ...seen, mask: 1 << 31 }), ray({ ...seen, mask: ~(1 << 31) }), ray({ ...seen, mask: -1 })],
            [true, false, true]);
        world.setFilter(crate, 0, { mask: 2 ** 32 - 1, category: -(2 ** 31) });
        assert.deepEqual(world.describeBody(crate).shapes[0].filter, { category: 2 ** 31, mask: 2 ** 32 - 1, group: 0 });
        for (const mask of [2 ** 32, -(2 ** 31) - 1, 0.5, NaN, '1']) {
            wrongType(/^mask must be an integer from -2147483648 to 4294967295, but is/, () => ray({ mask }));
            wrongType(/^category must be an integer/, () => ray({ category: mask }));
        }
    });

    test('the number of a body and of a joint can be the same, as the documents say', () => {
        const world = new talus.World();
        const [a, b] = [crateAt(world, 1), crateAt(world, 3)];
        const joint = world.addJoint({ kind: 'ball', frames: world.jointFrames(a, b, [0, 2, 0]) });
        assert.equal(joint, a);
        world.removeJoint(joint);
        assert.deepEqual([world.isValidBody(a), world.isValidJoint(joint)], [true, false]);
    });

    test('poses and velocities of many bodies', () => {
        const world = new talus.World();
        const bodies = world.addBodies(Array.from({ length: 2000 }, (_, i) =>
            ({ shape: talus.sphere(0.25), position: [i % 50, 1 + Math.floor(i / 50), 1000], linearVelocity: [i, 0, 0] })));
        assert.equal(bodies.length, 2000);
        const poses = world.poses(bodies, [0, 0, 1000]);
        assert.deepEqual([...poses.subarray(7 * 1999)], [49, 40, 0, 0, 0, 0, 1]);
        assert.deepEqual([...world.velocities(new Float64Array(bodies)).subarray(6 * 1999)], [1999, 0, 0, 0, 0, 0]);
        world.step(dt);
        const moved = world.moved([0, 0, 1000]);
        assert.equal(moved.count, 2000);
        assert.deepEqual([...moved.bodies], bodies);
        assert.deepEqual([...moved.poses], [...world.poses(bodies, [0, 0, 1000])]);
        const list = world.movedBodies();
        assert.deepEqual(list.map(({ body }) => body), bodies);
        assert.deepEqual(list[7].pose, world.transform(bodies[7]));
        assert.equal(list[7].placed, true);
        world.removeBody(bodies[3]);
        refuses('staleHandle', /^poses: bodies\[3\] is/, () => world.poses(bodies));
        refuses('staleHandle', /^velocities: bodies\[0\] is NaN/, () => world.velocities([NaN]));
    });

    test('moved() copies nothing: its arrays are views of the memory that the library writes', () => {
        const world = new talus.World();
        const bodies = world.addBodies(Array.from({ length: 3 }, (_, i) => ({ shape: talus.sphere(0.25), position: [i, 5, 0] })));
        world.step(dt);
        const first = world.moved();
        assert.ok(first.poses instanceof Float32Array && first.bodies instanceof Float64Array);
        assert.equal(first.poses.buffer, first.bodies.buffer);
        assert.ok(first.poses.buffer.byteLength > 2 ** 20, 'the buffer is the library\'s memory');
        const before = first.poses[1];
        steps(world, 10);
        const second = world.moved();
        assert.deepEqual([second.poses.buffer, second.poses.byteOffset], [first.poses.buffer, first.poses.byteOffset]);
        assert.ok(first.poses[1] < before, 'the view that was made earlier shows the new pose');
        near(first.poses[1], world.position(bodies[0])[1], 1e-6);
    });

    test('a compound, a mesh and a height field carry bodies', () => {
        const world = new talus.World();
        const mesh = talus.makeMesh({
            vertices: new Float32Array([-10, 0, -10, 10, 0, -10, 10, 0, 10, -10, 0, 10]), indices: [0, 2, 1, 0, 3, 2],
            materials: [0, 1],
        });
        assert.equal(mesh.size(), 2);
        assert.deepEqual(mesh.bounds(), { lower: [-10, 0, -10], upper: [10, 0, 10] });
        assert.equal(mesh.triangle(1).source, 1);
        refuses('badArgument', /2 triangles/, () => mesh.triangle(2));
        const field = talus.makeHeightField({ columns: 3, rows: 3, heights: new Array(9).fill(1), spacingX: 10, spacingZ: 10 });
        assert.equal(field.size(), 8);
        const holed = talus.makeHeightField({ columns: 3, rows: 3, heights: new Array(9).fill(1), spacingX: 10, spacingZ: 10, holes: [0, 1, 0, 0] });
        const ground = world.addBody({ type: 'fixed', mesh, meshMaterials: [{ friction: 0.5 }, { friction: 1 }] });
        world.addBody({ type: 'fixed', mesh: field, position: [100, 0, 0] });
        world.addBody({ type: 'fixed', mesh: holed, position: [200, 0, 0] });
        const [lying, falling] = [205, 215].map((x) => world.addBody({ shape: talus.sphere(0.5), position: [x, 3, 5] }));
        const dumbbell = world.addBody({
            position: [0, 2, 0],
            shapes: [{ shape: talus.sphere(0.5), pose: { position: [-1, 0, 0] } }, { shape: talus.sphere(0.5), pose: { position: [1, 0, 0] } }],
        });
        const crate = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [105, 3, 5] });
        mesh.release();
        steps(world, 180);
        near(world.position(dumbbell)[1], 0.5, 0.01);
        near(world.position(crate)[1], 1.5, 0.01);
        near(world.position(lying)[1], 1.5, 0.01);
        assert.ok(world.position(falling)[1] < -10);
        const hit = world.rayCast([1, 1, -1], [0, -2, 0], {});
        assert.equal(hit.body, ground);
        assert.equal(hit.triangle, 0);
        const said = world.describeBody(ground).shapes[0];
        assert.equal(said.mesh.size(), 2);
        assert.equal(said.meshMaterials[1].friction, 1);
    });
});

// ---- Shapes ---------------------------------------------------------------------------------------------------------

describe('shapes', () => {
    test('have the fields of their types', () => {
        assert.deepEqual(talus.box(1, 2, 3), { type: 'box', halfExtents: [1, 2, 3] });
        assert.deepEqual(talus.capsule(1, 0.5), { type: 'capsule', radius: 0.5, halfExtents: [0, 1, 0] });
        assert.deepEqual(talus.cylinder(1, 2).halfExtents, [2, 1, 2]);
        assert.deepEqual(talus.cone(1, 2).type, 'cone');
        assert.deepEqual(talus.segment([0, 0, 0], [1, 0, 0]), { type: 'segment', radius: 0, points: [[0, 0, 0], [1, 0, 0]] });
        assert.equal(talus.triangle([0, 0, 0], [1, 0, 0], [0, 1, 0], 0.25).points.length, 3);
    });

    test('have sizes and mass', () => {
        assert.deepEqual(talus.bounds(talus.sphere(1)), { lower: [-1, -1, -1], upper: [1, 1, 1] });
        near(talus.boundingRadius(talus.box(3, 4, 12)), 13, 1e-4);
        near(talus.thickness(talus.sphere(1)), 2, 1e-5);
        assert.equal(talus.isSolid(talus.sphere(1)), true);
        assert.equal(talus.isSolid(talus.segment([0, 0, 0], [1, 0, 0])), false);
        near(talus.massProperties(talus.box(0.5, 0.5, 0.5), 1000).mass, 1000, 0.01);
        refuses('badSize', /-1/, () => talus.check(talus.sphere(-1)));
        refuses('badSize', /-1/, () => talus.bounds(talus.sphere(-1)));
        talus.check(talus.sphere(1));
    });

    test('hulls', () => {
        const cube = [];
        for (let i = 0; i < 8; ++i) cube.push(i & 1, (i >> 1) & 1, (i >> 2) & 1);
        const hull = talus.makeHull(new Float32Array(cube));
        near(hull.volume(), 1, 1e-6);
        assert.equal(hull.vertices().length, 24);
        assert.deepEqual(hull.faces().map((face) => face.length), [4, 4, 4, 4, 4, 4]);
        refuses('degenerateShape', /./, () => talus.makeHull([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]));
        hull.release();
        hull.release();
        refuses('badArgument', /released/, () => hull.volume());
        wrongType(/makeHull/, () => new talus.Hull());
        wrongType(/makeMesh/, () => new talus.Mesh());
    });

    test('superellipsoids and sums', () => {
        const egg = talus.superellipsoid(0.5, 0.25, 0.5, 2, 4);
        const nested = talus.convexSum(talus.convexSum(talus.box(0.5, 0.25, 0.5), talus.sphere(0.25)), egg);
        assert.deepEqual([egg.type, nested.type], ['superellipsoid', 'convexSum']);
        near(talus.massProperties(talus.superellipsoid(1, 2, 3, 1, 1), 1).mass, 8, 0.01);
        near(talus.massProperties(talus.convexSum(talus.box(1, 0.5, 2), talus.box(0.5, 1.5, 1)), 1).mass, 72, 0.1);
        near(talus.bounds(nested).upper[1], 0.75, 1e-5);
        const { world } = withFloor();
        const bodies = [egg, nested].map((shape, i) => world.addBody({ shape, position: [4 * i, 1, 0] }));
        const said = bodies.map((body) => world.describeBody(body).shapes[0].shape);
        assert.ok(said.every(({ mapping }) => mapping instanceof talus.Mapping));
        assert.equal(world.mass(world.addBody({ shape: said[1], position: [9, 1, 0] })), world.mass(bodies[1]));
        for (const { mapping } of [egg, nested]) mapping.release();
        refuses('badArgument', /released/, () => talus.bounds(egg));
        for (let i = 0; i < 180; ++i) world.step(1 / 60);
        near(world.position(bodies[0])[1], 0.25, 0.006);
        near(world.position(bodies[1])[1], 0.75, 0.006);
        assert.equal(talus.World.load(world.save()).hash(), world.hash());
        refuses('badSize', /./, () => talus.superellipsoid(1, 1, -1, 2, 2));
        refuses('badArgument', /1 to 16/, () => talus.superellipsoid(1, 1, 1, 2, 17));
        refuses('degenerateShape', /./, () =>
            talus.convexSum(talus.segment([0, 0, 0], [1, 0, 0]), talus.segment([0, 0, 0], [0, 1, 0])));
        refuses('badArgument', /mapping/, () => talus.check({ ...egg, type: 'convexSum', mapping: said[0].mapping }));
        wrongType(/mapping must be a Mapping or null/, () => talus.check({ type: 'convexSum', mapping: {} }));
        wrongType(/superellipsoid/, () => new talus.Mapping());
    });

    test('a closed mesh has mass', () => {
        const vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        const indices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
        near(talus.meshMassProperties({ vertices, indices }, 6).mass, 1, 1e-5);
        refuses('degenerateShape', /./, () => talus.meshMassProperties({ vertices, indices: indices.slice(3) }, 6));
    });

    test('lengths of lists are checked before the library reads them', () => {
        const mesh = { vertices: [0, 0, 0, 1, 0, 0, 0, 0, 1], indices: [0, 2, 1] };
        refuses('badArgument', /materials has 2 numbers; it must have 1/, () => talus.makeMesh({ ...mesh, materials: [0, 0] }));
        refuses('badArgument', /materials/, () => talus.meshMassProperties({ ...mesh, materials: [] }, 1));
        refuses('badArgument', /heights has 3 numbers; it must have 4/, () =>
            talus.makeHeightField({ columns: 2, rows: 2, heights: [0, 0, 0] }));
        refuses('badArgument', /materials/, () =>
            talus.makeHeightField({ columns: 2, rows: 2, heights: [0, 0, 0, 0], materials: [1, 2] }));
        refuses('badArgument', /holes has 2 numbers; it must have 1/, () =>
            talus.makeHeightField({ columns: 2, rows: 2, heights: [0, 0, 0, 0], holes: [0, 0] }));
        refuses('badSize', /columns/, () => talus.makeHeightField({ columns: 1, rows: 1, heights: [0] }));
        wrongType(/multiple of 3/, () => talus.makeHull([1, 2]));
    });

    test('distance, rays and casts of two shapes', () => {
        const [a, b] = [talus.sphere(1), talus.sphere(0.5)];
        const apart = talus.separation(a, b, { position: [3, 0, 0] });
        near(apart.separation, 1.5, 1e-5);
        nearAll(apart.normal, [1, 0, 0], 1e-5);
        nearAll(apart.pointB, [2.5, 0, 0], 1e-5);
        near(talus.rayCast(a, [-3, 0, 0], [4, 0, 0]).fraction, 0.5, 1e-5);
        assert.equal(talus.rayCast(a, [-3, 2, 0], [4, 0, 0]), null);
        near(talus.shapeCast(a, b, { position: [3, 0, 0] }, [-3, 0, 0]).fraction, 0.5, 1e-4);
        assert.equal(talus.shapeCast(a, b, { position: [3, 0, 0] }, [3, 0, 0]), null);
        refuses('badArgument', /rotation/, () => talus.separation(a, b, { rotation: [0, 0, 0, 0] }));
        refuses('notFinite', /pose/, () => talus.separation(a, b, { position: [NaN, 0, 0] }));
        refuses('notFinite', /origin/, () => talus.rayCast(a, [Infinity, 0, 0], [1, 0, 0]));
    });
});

// ---- Joints ---------------------------------------------------------------------------------------------------------

describe('joints', () => {
    const pair = () => {
        const world = new talus.World({ gravity: [0, 0, 0] });
        const a = world.addBody({ type: 'fixed', shape: talus.sphere(0.1) });
        const b = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [1, 0, 0] });
        return { world, a, b, frames: world.jointFrames(a, b, [0, 0, 0], [0, 0, 1]) };
    };
    const axis = {
        limit: { lower: -1, upper: 2 }, motor: { speed: 3, maxForce: 4 },
        spring: { hertz: 5, dampingRatio: 6, target: 0.5, maxForce: 8 },
    };
    const drive = {
        velocity: [1, 2, 3], angularVelocity: [4, 5, 6], target: { position: [0, 0, 0], rotation: [0, 0, 0, 1] },
        linearHertz: 1, angularHertz: 2, dampingRatio: 3, maxForce: 4, maxTorque: 5,
    };
    const kinds = {
        ball: { cone: 1, twist: axis.limit, drive },
        hinge: axis,
        slider: axis,
        fixed: { linearHertz: 1, angularHertz: 2, dampingRatio: 3 },
        distance: { length: { lower: 0.5, upper: 2 }, motor: axis.motor, spring: axis.spring, restLength: 1 },
        sixDof: Object.fromEntries(enums.TalusJointAxis.slice(0, 6).map((name, i) =>
            [name, { ...axis, limit: { lower: -i - 1, upper: i + 1 } }])),
        wheel: {
            travel: axis.limit, suspension: axis.spring, steering: { lower: -0.5, upper: 0.5 }, steeringServo: axis.spring,
            motor: axis.motor,
        },
        motor: { drive },
    };
    const options = { collideConnected: true, breakForce: 1e9, breakTorque: 2e9, userData: 7 };

    for (const [kind, fields] of Object.entries(kinds)) {
        test(`every field of a ${kind} joint comes back from describeJoint()`, () => {
            const { world, a, b, frames } = pair();
            const def = { kind, frames, options, ...fields };
            const joint = world.addJoint(def);
            const said = world.describeJoint(joint);
            if (kind === 'distance') said.spring.target = fields.spring.target;  // that of a distance joint is restLength
            if (kind === 'ball') Object.assign(said.drive, { ...drive, angularVelocity: said.drive.angularVelocity });
            const rounded = (value) => JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'number' ? Number(v.toFixed(5)) : v)));
            assert.deepEqual(rounded(said), rounded(def));
            assert.deepEqual([world.kind(joint), world.bodyA(joint), world.bodyB(joint), world.jointUserData(joint)], [kind, a, b, 7]);
            assert.deepEqual(world.frames(joint), said.frames);
            assert.deepEqual([world.joints(), world.jointsOf(a), world.jointCount()], [[joint], [joint], 1]);
            steps(world, 2);
            assert.equal(world.isValidJoint(joint), true);
            world.removeJoint(joint);
            assert.equal(world.isValidJoint(joint), false);
            refuses('staleHandle', /./, () => world.kind(joint));
            refuses('staleHandle', /./, () => world.describeJoint(joint));
        });
    }

    test('parts that are given have their own defaults', () => {
        const { world, frames } = pair();
        const free = { lower: -Infinity, upper: Infinity };
        const joint = world.addJoint({ kind: 'sixDof', frames, moveX: { limit: {} }, moveY: { motor: { speed: 1 } } });
        assert.deepEqual([world.jointLimit(joint, 'moveX'), world.jointLimit(joint, 'turnZ')], [free, { lower: 0, upper: 0 }]);
        world.setJointLimit(joint, { lower: -1 }, 'moveX');
        assert.deepEqual(world.jointLimit(joint, 'moveX'), { lower: -1, upper: Infinity });
        const { moveX, moveY, options: said } = world.describeJoint(joint);
        assert.deepEqual(moveX.spring, { hertz: 0, dampingRatio: 1, target: 0, maxForce: Infinity });
        assert.deepEqual(moveY, { limit: { lower: 0, upper: 0 }, motor: { speed: 1, maxForce: 0 }, spring: moveX.spring });
        assert.equal(said.breakForce, Infinity);
        world.addJoint({ kind: 'fixed', frames: { ...frames, frameB: {} } });
    });

    test('a gear couples two hinges', () => {
        const { world, a, b, frames } = pair();
        const c = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [5, 0, 0] });
        const jointA = world.addJoint({ kind: 'hinge', frames, motor: { speed: 1, maxForce: 1e5 } });
        const jointB = world.addJoint({ kind: 'hinge', frames: world.jointFrames(a, c, [5, 0, 0], [0, 0, 1]) });
        const gear = world.addJoint({ kind: 'gear', jointA, jointB, ratio: -2 });
        assert.deepEqual(world.describeJoint(gear), {
            kind: 'gear', options: { collideConnected: false, breakForce: Infinity, breakTorque: Infinity, userData: 0 },
            jointA, jointB, ratio: -2,
        });
        steps(world, 60);
        near(world.jointSpeed(jointA), 1, 1e-2);
        near(world.jointCoordinate(jointB), -2 * world.jointCoordinate(jointA), 1e-2);
        assert.equal(world.bodyB(gear), c);
    });

    test('axes, motors, limits, springs, drives and forces', () => {
        const { world, b, frames } = pair();
        const hinge = world.addJoint({ kind: 'hinge', frames });
        world.setJointLimit(hinge, { lower: -0.25, upper: 0.5 });
        world.setJointMotor(hinge, { speed: 2, maxForce: 1e5 });
        world.setJointSpring(hinge, { hertz: 1 });
        assert.deepEqual(world.jointLimit(hinge), { lower: -0.25, upper: 0.5 });
        assert.deepEqual(world.jointMotor(hinge, 'main'), { speed: 2, maxForce: 1e5 });
        assert.deepEqual(world.jointSpring(hinge), { hertz: 1, dampingRatio: 1, target: 0, maxForce: Infinity });
        steps(world, 60);
        near(world.jointCoordinate(hinge), 0.5, 1e-2);
        assert.ok(world.jointMotorForce(hinge) > 1);
        assert.ok(world.jointStiffness(hinge) > 1);
        assert.equal(world.jointForce(hinge).length, 3);
        assert.equal(world.jointTorque(hinge).length, 3);
        refuses('badArgument', /axis/, () => world.setJointLimit(hinge, {}, 'moveX'));
        world.removeJoint(hinge);
        const ball = world.addJoint({ kind: 'ball', frames });
        world.setJointCone(ball, 1);
        near(world.jointCone(ball), 1, 1e-6);
        world.setJointDrive(ball, { angularVelocity: [0, 0, 1], maxTorque: 100 });
        assert.equal(world.jointDrive(ball).maxTorque, 100);
        world.setJointCollideConnected(ball, true);
        world.setJointBreak(ball, 1, 1);
        world.applyImpulse(b, [0, 1e5, 0]);
        steps(world, 2);
        assert.equal(world.isValidJoint(ball), false);
    });

    test('the force of a joint is the weight that hangs from it', () => {
        const world = new talus.World();
        const ceiling = world.addBody({ type: 'fixed', shape: talus.box(1, 0.1, 1), position: [0, 5, 0] });
        const weight = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 4, 0], allowSleep: false });
        const joint = world.addJoint({ kind: 'ball', frames: world.jointFrames(ceiling, weight, [0, 5, 0]) });
        steps(world, 60);
        nearAll(world.jointForce(joint), [0, 9.81 * world.mass(weight), 0], 0.001 * 9.81 * world.mass(weight));
        nearAll(world.jointTorque(joint), [0, 0, 0], 1);
    });

    test('a cone limits the swing of a ball joint, and a twist limit its rotation about x', () => {
        const angleOf = ([x, y, z, w]) => 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
        for (const [torque, limits, angle] of [
            [[0, 0, 2000], { cone: 0.5 }, 0.5],
            [[0, 2000, 0], { cone: 0.75 }, 0.75],
            [[2000, 0, 0], { twist: { lower: -0.25, upper: 0.25 } }, 0.25],
        ]) {
            const { world, a, b } = pair();
            const joint = world.addJoint({ kind: 'ball', frames: world.jointFrames(a, b, [0, 0, 0]), ...limits });
            for (let i = 0; i < 120; ++i) {
                world.applyTorque(b, torque);
                world.step(dt);
            }
            near(angleOf(world.rotation(b)), angle, 0.02);
            if (limits.twist) near(world.jointCoordinate(joint, 'turnX'), angle, 0.02);
            assert.ok(Math.hypot(...world.jointTorque(joint)) > 100, 'the limit pushes back');
        }
    });

    test('a joint that breaks is an event', () => {
        const { world, a, b, frames } = pair();
        const joint = world.addJoint({ kind: 'fixed', frames, options: { breakForce: 1, userData: 5n } });
        world.applyImpulse(b, [1e5, 0, 0]);
        world.step(dt);
        const [event] = world.jointsBroken();
        assert.deepEqual([event.joint, event.bodyA, event.bodyB, event.userData, event.overloaded], [joint, a, b, 5, true]);
        assert.ok(Math.hypot(...event.force) > 1);
    });
});

// ---- Queries --------------------------------------------------------------------------------------------------------

describe('what would have no effect', () => {
    test('fields of an only shape beside a list of shapes', () => {
        const { world } = withFloor();
        const shapes = [{ shape: talus.box(1, 1, 1) }];
        for (const [field, value] of Object.entries({ shape: talus.sphere(1), filter: { category: 4 }, density: 5,
            material: { friction: 0.1 }, hitEvents: true, sensor: false })) {
            wrongType(new RegExp(`def.${field} and def.shapes are both set`), () => world.addBody({ shapes, [field]: value }));
            wrongType(/both set/, () => world.addBodies([{ shapes, [field]: value }]));
        }
        const body = world.addBody({ shapes, density: undefined });
        assert.ok(world.addBody(world.describeBody(body)) > 0);
    });

    test('misspelled fields in a contact modifier', () => {
        const { world } = withFloor();
        world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 0.5, 0], modifyContacts: true });
        world.setContactModifier((contact) => (contact.frction = 2));
        assert.throws(() => world.step(dt), TypeError);
        world.setContactModifier((contact) => (contact.points[0].enable = false));
        assert.throws(() => world.step(dt), TypeError);
    });

    test('a typed array that is too short', () => {
        const { world, floor } = withFloor();
        wrongType(/to must be/, () => world.position(floor, new Float32Array(2)));
        assert.equal(world.position(floor, []).length, 3);
    });
});

describe('queries', () => {
    const row = () => {
        const world = new talus.World();
        const bodies = [0, 1, 2].map((i) => world.addBody({ type: 'fixed', shape: talus.sphere(0.5), position: [3 * i, 0, 0] }));
        return { world, bodies };
    };

    test('rays', () => {
        const { world, bodies } = row();
        const hit = world.rayCast([-2, 0, 0], [10, 0, 0]);
        assert.equal(hit.body, bodies[0]);
        assert.equal(hit.triangle, null);
        near(hit.fraction, 0.15, 1e-6);
        nearAll(hit.position, [-0.5, 0, 0], 1e-5);
        nearAll(hit.normal, [-1, 0, 0], 1e-6);
        assert.equal(world.rayCast([-2, 5, 0], [10, 0, 0]), null);
        assert.deepEqual([world.rayCastAny([-2, 0, 0], [10, 0, 0]), world.rayCastAny([-2, 5, 0], [10, 0, 0])], [true, false]);
        assert.deepEqual(world.rayCastAll([-2, 0, 0], [10, 0, 0]).map(({ body }) => body), bodies);
        assert.deepEqual(world.rayCastAll([-2, 0, 0], [10, 0, 0], { mask: 2 }), []);
        const rays = [{ origin: [-2, 0, 0], translation: [10, 0, 0] }, { origin: [-2, 5, 0], translation: [10, 0, 0] }];
        assert.deepEqual(world.rayCasts(rays).map((h) => h && h.body), [bodies[0], null]);
        refuses('notFinite', /./, () => world.rayCast([NaN, 0, 0], [1, 0, 0]));
        refuses('notFinite', /./, () => world.rayCasts([...rays, { origin: [0, 0, NaN], translation: [1, 0, 0] }]));
    });

    test('moving shapes', () => {
        const { world, bodies } = row();
        const [ball, pose, way] = [talus.sphere(0.25), { position: [-2, 0, 0] }, [10, 0, 0]];
        assert.equal(world.shapeCast(ball, pose, way).body, bodies[0]);
        assert.equal(world.shapeCastAny(ball, pose, [0, 10, 0]), false);
        assert.deepEqual(world.shapeCastAll(ball, pose, way).map(({ body }) => body), bodies);
        assert.deepEqual(world.shapeCasts([{ shape: ball, pose, translation: way }]).map(({ body }) => body), [bodies[0]]);
        refuses('badSize', /./, () => world.shapeCast(talus.sphere(-1), pose, way));
    });

    test('overlaps and nearest bodies', () => {
        const { world, bodies } = row();
        assert.deepEqual(world.overlapShape(talus.sphere(0.9), { position: [1.5, 0, 0] }), []);
        assert.deepEqual(world.overlapShape(talus.sphere(1.25), { position: [1.5, 0, 0] }), bodies.slice(0, 2));
        assert.equal(world.overlapAnyShape(talus.sphere(1.25), { position: [1.5, 0, 0] }), true);
        assert.deepEqual(world.overlapBox({ lower: [2, -1, -1], upper: [7, 1, 1] }), bodies.slice(1));
        assert.equal(world.overlapAnyBox({ lower: [10, -1, -1], upper: [11, 1, 1] }), false);
        assert.deepEqual(world.overlapPoint([6, 0.25, 0]), [bodies[2]]);
        assert.equal(world.overlapAnyPoint([6, 1, 0]), false);
        const found = world.nearest([0, 2, 0], 2, 100);
        assert.deepEqual(found.map(({ body }) => body), bodies.slice(0, 2));
        near(found[0].distance, 1.5, 1e-5);
        assert.equal(world.nearest([0, 2, 0], 4e9, 1e6).length, 3);
        assert.deepEqual(world.nearest([0, 2, 0], 0, 1), []);
        refuses('notFinite', /./, () => world.overlapPoint([0, NaN, 0]));
    });

    test('more results than fit into the temporary memory', () => {
        const world = new talus.World();
        const bodies = world.addBodies(Array.from({ length: 12000 }, (_, i) =>
            ({ type: 'fixed', shape: talus.sphere(0.5), position: [i, 0, 0] })));
        assert.deepEqual(world.bodies(), bodies);
        assert.deepEqual(world.overlapBox({ lower: [-1, -1, -1], upper: [20000, 1, 1] }), bodies);
        assert.equal(world.rayCastAll([-1, 0, 0], [20000, 0, 0]).length, 12000);
    });
});

// ---- Results of a step ----------------------------------------------------------------------------------------------

describe('results of a step', () => {
    test('events, contacts, pairs, islands, profile and memory', () => {
        const { world, floor } = withFloor();
        const crate = crateAt(world, 1, { hitEvents: true, allowSleep: false });
        const begun = [], hits = [];
        for (let i = 0; i < 60; ++i) {
            world.step(dt);
            begun.push(...world.contactsBegun());
            hits.push(...world.contactsHit());
        }
        assert.equal(begun.length, 1);
        assert.deepEqual([begun[0].bodyA, begun[0].bodyB].sort(), [floor, crate].sort());
        assert.ok(hits[0].approachSpeed > 1);
        const [contact] = world.contacts();
        assert.equal(contact.points.length, 4);
        assert.deepEqual(world.contactsOf(crate), [contact]);
        near(Math.abs(contact.normal[1]), 1, 1e-3);
        const [pair] = world.pairs();
        assert.deepEqual([pair.bodyA, pair.bodyB].sort(), [floor, crate].sort());
        assert.equal(pair.state, 'touching');
        assert.ok(Object.keys(world.profile().rungs).includes(pair.rung));
        assert.equal(typeof world.island(crate), 'number');
        assert.equal(world.island(floor), null);
        const profile = world.profile();
        assert.deepEqual([profile.frame, profile.bodies, profile.contactPoints], [60, 2, 4]);
        assert.equal(profile.gjkHistogram.length, 16);
        assert.equal(Object.keys(profile.rungs).length, 10);
        assert.match(profile.hashes.solve, /^0{16}$/);
        assert.ok(world.memory().total > 1000);
        assert.deepEqual([world.bodyCount(), world.awakeBodyCount()], [2, 1]);
        world.removeBody(crate);
        world.step(dt);
        assert.equal(world.contactsEnded().length, 1);
    });

    test('drawing', () => {
        const { world } = withFloor();
        crateAt(world, 0.5);
        steps(world, 5);
        const drawn = { line: [], point: [], text: [] };
        world.draw({
            line: (...args) => drawn.line.push(args), point: (...args) => drawn.point.push(args),
            text: (...args) => drawn.text.push(args),
        }, { outlines: true, contactPoints: true, featureIds: true, outlineColor: 'island' });
        assert.ok(drawn.line.length >= 24);
        assert.equal(drawn.point.length, 4);
        const [at, pixels, color] = drawn.point[0];
        assert.deepEqual([at.length, color.length, typeof pixels], [3, 4, 'number']);
        assert.equal(typeof drawn.text[0][1], 'string');
        world.draw({});
        const failure = new Error('the renderer');
        assert.throws(() => world.draw({ line() { throw failure; } }, { outlines: true }), failure);
        assert.throws(() => world.draw({ line: () => world.step(dt) }, { outlines: true }), /within/);
        world.step(dt);
    });

    test('a contact modifier can let bodies through, and its copies have it, too', () => {
        const { world } = withFloor();
        const ghost = crateAt(world, 1, { modifyContacts: true, userData: 77 });
        const seen = [];
        world.setContactModifier((contact) => {
            seen.push(contact);
            contact.enabled = false;
        });
        const copy = world.clone();
        steps(world, 60);
        assert.ok(world.position(ghost)[1] < -1);
        assert.ok([seen[0].userDataA, seen[0].userDataB].includes(77));
        assert.ok(seen[0].points.length >= 1);
        assert.equal(seen[0].points[0].position.length, 3);
        steps(copy, 60);
        assert.ok(copy.position(ghost)[1] < -1);
        assert.equal(copy.hash(), world.hash());
    });

    test('a contact modifier that set friction to NaN or -1 was ignored', () => {
        const { world } = withFloor();
        const crate = crateAt(world, 0.5, { modifyContacts: true });
        for (const [field, value, code] of [
            ['friction', NaN, 'notFinite'], ['friction', -1, 'badArgument'], ['friction', Infinity, 'notFinite'],
            ['friction', 1e39, 'badArgument'], ['restitution', NaN, 'notFinite'], ['restitution', 1.5, 'badArgument'],
            ['restitution', -0.5, 'badArgument'],
        ]) {
            world.setContactModifier((contact) => { contact[field] = value; });
            const { frame } = world.profile();
            refuses(code, new RegExp(`^contact modifier: ${field} is ${String(value).replace('+', '.')}; it must be .*0.* to `),
                () => world.step(dt));
            assert.equal(world.profile().frame, frame + 1, 'the step is complete');
        }
        world.setContactModifier((contact) => {
            for (const point of contact.points) point.enabled = true;
            contact.friction = 0;
            contact.restitution = 1;
        });
        steps(world, 5);
        world.setContactModifier(null);
        steps(world, 60);
        near(world.position(crate)[1], 0.5, 0.05);
        assert.equal(world.isValidBody(crate), true);
    });

    test('a contact modifier that made the list of points longer wrote beyond it', () => {
        const { world } = withFloor();
        const crate = crateAt(world, 0.5, { modifyContacts: true });
        world.setContactModifier((contact) => {
            for (let i = 0; i < 1000; ++i) contact.points.push({ position: [0, 0, 0], separation: 0, enabled: true });
        });
        steps(world, 30);
        world.setContactModifier((contact) => { contact.points.length = 0; });
        steps(world, 30);
        near(world.position(crate)[1], 0.5, 0.01);
    });

    test('an exception in a contact modifier comes out of step(), and the world goes on', () => {
        const { world } = withFloor();
        const crate = crateAt(world, 0.5, { modifyContacts: true });
        const failure = new Error('mine');
        world.setContactModifier(() => { throw failure; });
        assert.throws(() => world.step(dt), failure);
        world.setContactModifier(() => world.position(crate));
        assert.throws(() => world.step(dt), /within/);
        world.setContactModifier(() => world.destroy());
        assert.throws(() => world.step(dt), /within/);
        world.setContactModifier((contact) => { contact.friction = 'much'; });
        wrongType(/friction/, () => world.step(dt));
        world.setContactModifier(null);
        steps(world, 30);
        near(world.position(crate)[1], 0.5, 0.01);
    });

    test('a contact modifier may use other worlds', () => {
        const { world } = withFloor();
        crateAt(world, 0.5, { modifyContacts: true });
        const other = withFloor();
        const crate = crateAt(other.world, 10, { modifyContacts: true });
        let inner = 0;
        other.world.setContactModifier(() => { ++inner; });
        world.setContactModifier(() => {
            other.world.addBodies(Array.from({ length: 500 }, (_, i) =>
                ({ shape: talus.sphere(0.5), position: [i * 2, 100, inner] })));
            steps(other.world, 3);
        });
        steps(world, 40);
        assert.ok(inner > 0);
        near(other.world.position(crate)[1], 0.5, 0.01);
    });
});

// ---- Saving and copies ----------------------------------------------------------------------------------------------

/// A small scene of exact numbers, as js_scene.c builds it.
function scene(t) {
    const { world } = withFloor(t);
    const hull = t.makeHull([[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0, -0.5, 0.75], [0, 0.75, 0]]);
    const shapes = [
        t.box(0.5, 0.5, 0.5), t.sphere(0.5), t.capsule(0.5, 0.25), t.cylinder(0.5, 0.5), t.cone(0.5, 0.5), t.hull(hull),
    ];
    const bodies = [];
    for (let i = 0; i < 60; ++i) {
        bodies.push(world.addBody({
            shape: shapes[i % 6], position: [(i % 3) * 0.75, 1 + i * 0.5, (i % 4) * 0.25], angularVelocity: [i * 0.125, 0, 1],
            userData: i,
        }));
    }
    for (let i = 0; i < 8; ++i) {
        const frames = world.jointFrames(bodies[i], bodies[i + 1], [0, 1 + i * 0.5, 0], [0, 0, 1]);
        world.addJoint(i % 2 ? { kind: 'hinge', frames } : { kind: 'ball', frames, cone: 1 });
    }
    return { world, bodies };
}

describe('copies and bytes', () => {
    test('the module without SIMD gives the same bits', () => {
        const [a, b] = [scene(talus).world, scene(plain).world];
        for (let i = 0; i < 20; ++i) {
            steps(a, 10);
            steps(b, 10);
            assert.equal(a.hash(), b.hash(), `step ${10 * i + 10}`);
        }
    });

    test('the native library gives the same bits', { skip: !process.env.TALUS_SO && 'TALUS_SO is not set' }, () => {
        const library = resolve(process.env.TALUS_SO);
        const out = mkdtempSync(join(tmpdir(), 'talus-js-'));
        execFileSync('cc', ['-std=c99', '-DTALUS_C_SHARED', `-I${root}/include`, join(root, 'tests/bindings/js_scene.c'), library,
            `-Wl,-rpath,${dirname(library)}`, '-o', join(out, 'scene')]);
        const [early, late] = execFileSync(join(out, 'scene'), [join(out, 'world.talus')], { encoding: 'utf8' }).trim().split('\n');
        const { world } = scene(talus);
        steps(world, 120);
        assert.equal(world.hash(), early);
        const loaded = talus.World.load(new Uint8Array(readFileSync(join(out, 'world.talus'))));
        assert.equal(loaded.hash(), early);
        for (const w of [world, loaded]) {
            steps(w, 120);
            assert.equal(w.hash(), late);
        }
    });

    test('a loaded world goes on with the same bits and handles', () => {
        const { world, bodies } = scene(talus);
        steps(world, 60);
        const bytes = world.save();
        const loaded = [talus.World.load(bytes), plain.World.load(bytes)];
        steps(world, 60);
        for (const other of loaded) {
            assert.equal(other.userData(bodies[9]), 9);
            steps(other, 60);
            assert.equal(other.hash(), world.hash());
            assert.deepEqual(other.position(bodies[9]), world.position(bodies[9]));
        }
        const changes = world.saveChanges(bytes);
        assert.deepEqual(talus.World.applyChanges(bytes, changes), world.save());
        refuses('badData', /./, () => talus.World.load(bytes.slice(0, 100)));
        refuses('badData', /./, () => talus.World.load(new Uint8Array(0)));
        refuses('badData', /./, () => talus.World.applyChanges(bytes, bytes));
    });

    test('saved bytes in a buffer, or in a view that is no Uint8Array, were refused', () => {
        const { world } = scene(talus);
        steps(world, 30);
        const bytes = world.save();
        steps(world, 30);
        const changes = world.saveChanges(bytes);
        const later = world.save();
        /// The same bytes in other forms.
        const forms = (content) => {
            const padded = new ArrayBuffer(16 + 8 * Math.ceil(content.length / 8));
            new Uint8Array(padded).set(content, 8);
            const shared = new SharedArrayBuffer(content.length);
            new Uint8Array(shared).set(content);
            return [
                content.slice().buffer, shared, new Uint8Array(shared), new DataView(padded, 8, content.length),
                Buffer.from(content), new Int8Array(padded, 8, content.length), new Uint8ClampedArray(padded, 8, content.length),
            ];
        };
        for (const form of forms(bytes)) {
            assert.equal(talus.World.load(form).hash(), talus.World.load(bytes).hash(), form.constructor.name);
            assert.deepEqual(world.saveChanges(form), changes);
            assert.deepEqual(talus.World.applyChanges(form, changes), later);
        }
        for (const form of forms(changes)) assert.deepEqual(talus.World.applyChanges(bytes, form), later);
        const words = new Float64Array(bytes.length / 8 + 1);
        refuses('badData', /^load: .*begin/, () => talus.World.load(words));
        new Uint8Array(words.buffer).set(bytes);
        refuses('badData', /^load: /, () => talus.World.load(words));  // its last bytes are too many
        for (const wrong of ['bytes', [1, 2], {}, null, undefined, 5]) {
            wrongType(/^bytes must be an ArrayBuffer or a view of one/, () => talus.World.load(wrong));
            wrongType(/^since must be an ArrayBuffer/, () => world.saveChanges(wrong));
            wrongType(/^changes must be an ArrayBuffer/, () => talus.World.applyChanges(bytes, wrong));
        }
    });

    test('assets are named in the bytes', () => {
        const mesh = talus.makeMesh({ vertices: [0, 0, 0, 1, 0, 0, 0, 0, 1], indices: [0, 2, 1] });
        const hull = talus.makeHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        const assets = new talus.Assets();
        assets.add('terrain', mesh);
        assets.add('rock', hull);
        refuses('badArgument', /used already/, () => assets.add('rock', hull));
        refuses('badArgument', /empty/, () => assets.add('', hull));
        const world = new talus.World();
        world.addBody({ type: 'fixed', mesh });
        world.addBody({ shape: talus.hull(hull) });
        const bytes = world.save(assets);
        assert.equal(talus.World.load(bytes, assets).bodyCount(), 2);
        refuses('badArgument', /terrain|rock/, () => talus.World.load(bytes));
        assets.release();
    });

    test('clones and assigned worlds step to the same bits', () => {
        const { world } = scene(talus);
        steps(world, 30);
        const copy = world.clone();
        const other = new talus.World();
        other.assign(world);
        const before = world.hash();
        steps(world, 60);
        for (const w of [copy, other]) {
            assert.equal(w.hash(), before);
            steps(w, 60);
            assert.equal(w.hash(), world.hash());
        }
        world.assign(world);
        assert.equal(world.hash(), copy.hash());
        wrongType(/World/, () => world.assign({}));
        wrongType(/World/, () => world.assign(new plain.World()));
    });

    test('settings', () => {
        assert.equal(new talus.World().settings().timing, 'off');
        const world = new talus.World({ gravity: [0, -1.5, 0], substeps: 8, timing: 'pairs' });
        assert.deepEqual(world.gravity(), [0, -1.5, 0]);
        assert.equal(world.settings().substeps, 8);
        world.setSettings({ hitSpeed: 3, hashStages: true });
        assert.deepEqual([world.settings().hitSpeed, world.settings().substeps, world.settings().timing], [3, 8, 'pairs']);
        world.setGravity({ x: 0, y: -3, z: 0 });
        world.setAllowSleep(false);
        world.setHitSpeed(2);
        assert.deepEqual(world.settings().gravity, [0, -3, 0]);
        assert.deepEqual([world.settings().allowSleep, world.settings().hitSpeed], [false, 2]);
        world.setSettings(world.settings());
        crateAt(world, 1);
        world.step(dt);
        assert.match(world.profile().hashes.solve, /^[0-9a-f]{16}$/);
        assert.notEqual(world.profile().hashes.solve, '0000000000000000');
        refuses('badArgument', /substeps|0/, () => new talus.World({ substeps: 0 }));
    });

    test('the clock', () => {
        const clock = new talus.FixedStep(0.25, 4);
        assert.deepEqual([clock.advance(0.625), clock.dt(), clock.alpha()], [2, 0.25, 0.5]);
        assert.equal(clock.advance(10), 4);
        assert.ok(clock.droppedSeconds() > 8);
        near(new talus.FixedStep().dt(), 1 / 60, 1e-7);
        assert.equal(new talus.FixedStep().advance(-1), 0);
        refuses('notFinite', /^FixedStep: dt is NaN/, () => new talus.FixedStep(NaN));
        refuses('badArgument', /^FixedStep: dt is 0/, () => new talus.FixedStep(0));
        wrongType(/^maxSteps/, () => new talus.FixedStep(0.25, 0));
        refuses('notFinite', /^advance: seconds is Infinity/, () => clock.advance(Infinity));
    });
});

// ---- Errors ---------------------------------------------------------------------------------------------------------

describe('errors', () => {
    test('name what is wrong', () => {
        const { world } = withFloor();
        const crate = crateAt(world, 1);
        refuses('badSize', /^addBody: density is -3; /, () => crateAt(world, 1, { density: -3 }));
        refuses('notFinite', /./, () => crateAt(world, NaN));
        refuses('badArgument', /./, () => world.step(NaN));
        refuses('badArgument', /./, () => world.step(-1));
        wrongType(/^dt must be a number, but is undefined$/, () => world.step());
        wrongType(/^position must be 3 numbers/, () => world.addBody({ position: [1, 2] }));
        wrongType(/def has no field "positon"/, () => world.addBody({ positon: [1, 2, 3] }));
        wrongType(/type must be one of 'fixed', 'kinematic', 'dynamic', but is "dynamik"/, () => world.addBody({ type: 'dynamik' }));
        wrongType(/hull must be a Hull or null/, () => world.addBody({ shape: { type: 'hull', hull: {} } }));
        wrongType(/^body must be a handle .* but is "crate"$/, () => world.position('crate'));
        wrongType(/^force must be 3 numbers/, () => world.applyForce(crate, 5));
        wrongType(/substeps must be an integer/, () => new talus.World({ substeps: 1.5 }));
        wrongType(/userData/, () => world.setUserData(crate, -1));
        const hull = plain.makeHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        wrongType(/hull must be a Hull/, () => world.addBody({ shape: { type: 'hull', hull } }));
    });

    test('stale and foreign handles are refused by every call', () => {
        const { world, floor } = withFloor();
        const crate = crateAt(world, 1);
        world.removeBody(crate);
        const other = withFloor().floor;
        const calls = ['position', 'rotation', 'transform', 'mass', 'type', 'isAwake', 'userData', 'bounds', 'locks', 'shapeCount',
            'describeBody', 'contactsOf', 'jointsOf', 'island', 'removeBody', 'linearVelocity', 'inertia'];
        const saysWhy = (call) => new RegExp(call.startsWith('describe') ? `^${call}: ` : `^${call}: body is (slot|null)`);
        for (const body of [crate, other, 0]) {
            for (const call of calls) refuses('staleHandle', saysWhy(call), () => world[call](body));
            refuses('staleHandle', /./, () => world.setMass(body, 1));
            refuses('staleHandle', /./, () => world.applyForce(body, [0, 0, 0]));
            refuses('staleHandle', /./, () => world.poses([body]));
            assert.equal(world.isValidBody(body), false);
        }
        // What no handle can be was called null.
        for (const body of [NaN, -1, 0.5, 1.5, 2 ** 21, 2 ** 53, 2 ** 53 + 2, 1e300, Infinity, floor + 0.5]) {
            const named = (name) => new RegExp(`^${name} must be a handle .*, but is ${String(body).replace('+', '.')}$`);
            for (const call of calls) wrongType(named('body'), () => world[call](body));
            wrongType(named('body'), () => world.setMass(body, 1));
            wrongType(named('joint'), () => world.removeJoint(body));
            wrongType(named('bodyB'), () => world.jointFrames(floor, body, [0, 0, 0]));
            wrongType(named('jointA'), () => world.addJoint({ kind: 'gear', jointA: body, jointB: 0 }));
            refuses('staleHandle', new RegExp(`^poses: bodies.0. is ${String(body).replace('+', '.')};`), () => world.poses([body]));
            assert.deepEqual([world.isValidBody(body), world.isValidJoint(body), talus.slotOf(body)], [false, false, -1]);
        }
        assert.equal(world.bodyCount(), 1);
    });

    test('messages of the library spoke C++', () => {
        const { world, floor } = withFloor();
        const [a, b] = [crateAt(world, 5), crateAt(world, 7)];
        const gone = crateAt(world, 9);
        world.removeBody(gone);
        const frames = world.jointFrames(a, b, [0, 6, 0]);
        const hinge = world.addJoint({ kind: 'hinge', frames });
        const box = talus.box(1, 1, 1);
        const isFinite = /linearVelocity is \(NaN, Infinity, 0\); it must be finite \(m\/s\)\.$/;
        for (const [text, f] of [
            [isFinite, () => crateAt(world, 1, { linearVelocity: [NaN, Infinity, 0] })],
            [/^position: body is slot 3, .*\(see isValidBody\)\.$/, () => world.position(gone)],
            [/^kind: joint is null; .*\(see isValidJoint\)\.$/, () => world.kind(0)],
            [/^jointUserData: joint is null/, () => world.jointUserData(0)],
            [/^describeBody: /, () => world.describeBody(gone)],
            [/^describeJoint: /, () => world.describeJoint(0)],
            [/^overlapBox: box\.lower/, () => world.overlapBox({ lower: [1, 1, 1], upper: [0, 0, 0] })],
            [/^overlapAnyPoint: point/, () => world.overlapAnyPoint([NaN, 0, 0])],
            [/^overlapShape: pose\.position/, () => world.overlapShape(box, { position: [NaN, 0, 0] })],
            [/^rayCasts: rays\[0\]\.origin/, () => world.rayCasts([{ origin: [NaN, 0, 0], translation: [0, 0, 0] }])],
            [/for example shape: talus\.sphere\(0\.5\)\.$/, () => world.addBody({})],
            [/a sum of talus\.locks \(0 to 63\)/, () => world.setLocks(a, 255)],
            [/Call removeBody to remove it/, () => world.setShapes(a, [])],
            [/^setJointSpring: axis is moveY; .*: turnX \(main\)\.$/, () => world.setJointSpring(hinge, {}, 'moveY')],
            [/talus\.asAdded\.$/, () => world.addJoint({ kind: 'distance', frames, restLength: -2 })],
            [/halfExtents\.z is 3, unlike halfExtents\.x/, () => talus.check({ type: 'cylinder', halfExtents: [1, 2, 3] })],
            [/with talus\.sphere\(\), talus\.box\(\) and the like\.$/, () =>
                talus.check({ type: 'sphere', radius: 1, halfExtents: [1, 1, 1] })],
            [/^World: substeps is 0; it must be 1 to 64\.$/, () => new talus.World({ substeps: 0 })],
            [/maxSpeed is -1; .*; Infinity means no limit/, () => world.setSpeedLimits(a, -1, 1)],
        ]) {
            says(text, f);
        }
        assert.equal(world.position(floor)[1], -1);
    });

    test('messages of the library showed quaternions w first', () => {
        const { world } = withFloor();
        const [a, b] = [crateAt(world, 5), crateAt(world, 7)];
        const frames = world.jointFrames(a, b, [0, 6, 0]);
        const box = talus.box(1, 1, 1);
        const rotation = [NaN, 2, -3, 4e30];
        const text = /rotation is \(NaN, 2, -3, 4e\+30\); it must be a unit quaternion \(x, y, z, w\), or/;
        for (const f of [
            () => crateAt(world, 1, { rotation }),
            () => world.addBody({ shapes: [{ shape: box, pose: { rotation } }] }),
            () => world.setTransform(a, [0, 0, 0], rotation),
            () => world.setKinematicTarget(world.addBody({ type: 'kinematic', shape: box }), [0, 0, 0], rotation),
            () => world.overlapShape(box, { rotation }),
            () => world.shapeCast(box, { rotation }, [0, 1, 0]),
            () => world.addJoint({ kind: 'hinge', frames: { ...frames, frameA: { rotation } } }),
            () => world.addJoint({ kind: 'motor', frames, drive: { target: { rotation } } }),
        ]) says(text, f);
    });

    test('names of assets in messages stay as they are', () => {
        const hull = talus.makeHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        const long = `${'long_name '.repeat(80)}"x_y`;  // is cut
        for (const name of ['is_valid', 'add_body: nan', 'the "inf" of talus::box', '.shape = talus::box(0.5f)', long]) {
            const assets = new talus.Assets();
            assets.add(name, hull);
            const world = new talus.World();
            world.addBody({ shape: talus.hull(hull) });
            const bytes = world.save(assets);
            assert.throws(() => talus.World.load(bytes), (error) => {
                const start = 'load: the world needs a hull with the name "';
                assert.equal(error.message.slice(0, start.length + 400), `${start}${name}"; add it to \`assets\`.`.slice(0, start.length + 400));
                return true;
            });
        }
    });

    test('a getter of an argument cannot destroy the world, or call anything else', () => {
        const { world } = withFloor();
        const other = new talus.World();
        const box = talus.box(0.5, 0.5, 0.5);
        const hull = talus.makeHull([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
        for (const call of [() => world.destroy(), () => world.step(dt), () => other.bodyCount(), () => other.destroy(),
            () => talus.sphere(1), () => hull.release(), () => new talus.World()]) {
            const spy = (value) => ({ get position() { call(); return value; }, shape: box });
            assert.throws(() => world.addBody(spy([0, 5, 0])), /getter of an argument/);
            assert.throws(() => world.addBodies([spy([0, 5, 0])]), /getter of an argument/);
            assert.throws(() => world.setGravity({ get x() { call(); return 0; }, y: 0, z: 0 }), /getter of an argument/);
            assert.throws(() => world.addJoint({ get kind() { call(); return 'ball'; } }), /getter of an argument/);
            const handles = [0];
            Object.defineProperty(handles, 0, { get() { call(); return 0; } });
            assert.throws(() => world.poses(handles), /getter of an argument/);
        }
        assert.equal(world.bodyCount(), 1);
        const crate = world.addBody({ shape: box, position: [0, 5, 0] });
        steps(world, 5);
        assert.ok(world.position(crate)[1] < 5);
        assert.equal(other.bodyCount(), 0);
        assert.ok(talus.hull(hull));
    });

    test('a world that was destroyed refuses every call', () => {
        const { world, floor } = withFloor();
        world.destroy();
        world.destroy();
        refuses('badArgument', /destroyed/, () => world.step(dt));
        refuses('badArgument', /destroyed/, () => world.position(floor));
        refuses('badArgument', /destroyed/, () => world.clone());
        refuses('badArgument', /destroyed/, () => world.assign(new talus.World()));
        refuses('badArgument', /destroyed/, () => new talus.World().assign(world));
    });
});

// ---- Types and arguments --------------------------------------------------------------------------------------------

const types = readTypes(join(folder, 'talus.d.ts'));

describe('talus.d.ts', () => {
    const functionsOf = (object) => Object.getOwnPropertyNames(object).filter((name) => name !== 'constructor');
    const declared = (functions) => Object.keys(functions).filter((name) => name !== 'constructor').sort();

    test('declares what the module exports, and nothing else', async () => {
        const module = await import(pathToFileURL(join(folder, 'talus.mjs')));
        assert.deepEqual(types.exported.sort(), Object.keys(module).sort());
    });

    test('declares the functions of each class, and nothing else', () => {
        for (const name of ['Hull', 'Mapping', 'Mesh', 'Assets', 'FixedStep']) {
            const { prototype } = talus[name];
            const present = [...functionsOf(prototype), ...functionsOf(Object.getPrototypeOf(prototype))];
            assert.deepEqual(declared(types.of[name].functions), present.sort(), name);
        }
        assert.deepEqual(declared(types.of.World.functions), functionsOf(talus.World.prototype).sort());
        const statics = functionsOf(talus.World).filter((name) => !['length', 'name', 'prototype'].includes(name));
        assert.deepEqual(declared(types.of.World.statics), statics.sort());
        const { functions, fields } = types.of.Talus;
        assert.deepEqual([...Object.keys(functions), ...Object.keys(fields)].sort(), Object.keys(talus).sort());
        for (const name of Object.keys(functions)) assert.equal(typeof talus[name], 'function', name);
    });

    test('declares as many parameters as each function has', () => {
        const check = (name, parameters, f) => {
            const needed = parameters.filter(({ optional }) => !optional).length;
            assert.ok(needed <= f.length && f.length <= parameters.length, `${name}: ${f.length} parameters`);
        };
        const { World, Talus } = types.of;
        for (const [name, parameters] of Object.entries(World.functions)) {
            check(name, parameters, name === 'constructor' ? talus.World : talus.World.prototype[name]);
        }
        for (const [name, parameters] of Object.entries(World.statics)) check(name, parameters, talus.World[name]);
        for (const [name, parameters] of Object.entries(Talus.functions)) check(name, parameters, talus[name]);
    });
});

describe('arguments', () => {
    const { world } = withFloor();
    const body = crateAt(world, 1, { modifyContacts: true });
    const other = crateAt(world, 3);
    const kinematic = world.addBody({ type: 'kinematic', shape: talus.sphere(1), position: [9, 9, 9] });
    const gone = crateAt(world, 9);
    const frames = world.jointFrames(body, other, [0, 2, 0]);
    const [hinge, second, ball] = ['hinge', 'hinge', 'ball'].map((kind) => world.addJoint({ kind, frames }));
    world.removeBody(gone);
    steps(world, 3);
    const bytes = world.save();

    const shape = talus.sphere(0.5);
    const cube = Array.from({ length: 24 }, (_, i) => (Math.floor(i / 3) >> (i % 3)) & 1);
    const region = { lower: [0, 0, 0], upper: [1, 1, 1] };
    const meshDef = {
        vertices: [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0], indices: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], materials: [0, 0, 0, 0],
    };
    const mesh = talus.makeMesh(meshDef);

    // Correct arguments: by the function and the parameter's name, by the parameter's name, and by its type.
    const correct = {
        setJointCone: { joint: ball }, jointCone: { joint: ball }, setJointDrive: { joint: ball }, jointDrive: { joint: ball },
        setJointBreak: { force: 5, torque: 5 }, setKinematicTarget: { body: kinematic },
        setShape: { shape: 0 }, setMaterial: { shape: 0 }, setFilter: { shape: 0 },
        separation: { a: shape, b: shape }, shapeCast: { a: shape, b: shape }, convexSum: { a: shape, b: shape },
        load: { assets: undefined },
    };
    const byName = {
        dt, scale: 2, locks: 1, linear: 0.5, angular: 0.5, maxSpeed: 10, maxSpin: 10, mass: 2, cone: 1, density: 5, speed: 1,
        force: [0, 1, 0], torque: [0, 1, 0], count: 3, maxDistance: 5, seconds: 0.1, maxSteps: 4, index: 0,
        x: 1, y: 1, z: 1, radius: 1, halfHeight: 1, around: 2, along: 2, a: [0, 0, 0], b: [1, 0, 0], c: [0, 1, 0], points: cube,
        name: 'rock',
        handle: body, bodies: [body], bodyA: body, bodyB: other, jointA: hinge, jointB: second, from: world, modifier: null,
        to: [], since: bytes, changes: world.saveChanges(bytes), box: region,
    };
    const byType = {
        BodyId: body, JointId: hinge, Vector: [0, 1, 0], Rotation: [0, 0, 0, 1], Pose: { position: [0, 5, 0] }, UserData: 5,
        boolean: true, BodyType: 'dynamic', Continuous: 'all', JointAxis: 'main', Bytes: bytes,
        Shape: shape, Filter: {}, Material: {}, BodyDef: { shape }, 'BodyDef[]': [{ shape }], 'ShapeDef[]': [{ shape }],
        MassProperties: { mass: 1, center: [0, 0, 0], inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] }, WorldDef: {},
        JointDef: { kind: 'hinge', frames }, JointLimit: {}, JointMotor: {}, JointSpring: {}, JointDrive: {},
        'Ray[]': [{ origin: [0, 5, 0], translation: [0, -9, 0] }], 'ShapeCast[]': [{ shape, pose: {}, translation: [0, -9, 0] }],
        DebugDraw: {}, DebugDrawOptions: { region }, MeshDef: meshDef, Assets: new talus.Assets(),
        HeightFieldDef: { columns: 2, rows: 2, heights: [0, 0, 0, 0], materials: [0], holes: [0] }, 'Hull | Mesh': mesh, Hull: talus.makeHull(cube),
    };
    const wrongOf = wrongArguments(types, { byName, byType, handles: [gone, withFloor().floor + 7] });

    // Wrong arguments that are allowed.
    const anyNumber = (value) => typeof value === 'number';
    const allowed = {
        isValidBody: anyNumber, isValidJoint: anyNumber, slotOf: anyNumber,  // they are for numbers that may be no handles
        saveChanges: (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer,  // a difference to any bytes can be made
        addJoint: (def) => def?.kind === 'distance' && def.spring,           // its spring has no target
        draw: (options) => [options?.region?.lower, options?.region?.upper].some((at) => at?.[1] === Infinity),  // no bound
    };

    /// Returns a body's definition without its only shape if it has a list of shapes.
    const withOneOf = (def) => {
        if (Array.isArray(def)) return def.map(withOneOf);
        if (!def?.shapes?.length) return def;
        const { shape, ...others } = def;
        return others;
    };

    /// Calls f() with one wrong argument after another. Returns how often, and what was wrong with the errors.
    function tryAll(call, parameters, f) {
        const faults = [];
        let tried = 0;
        const good = parameters.map(({ name, type }) => ({ [name]: byType[type], ...byName, ...correct[call] })[name]);
        const restore = () => world.assign(talus.World.load(bytes));
        f(...good);
        restore();
        parameters.forEach(({ name, type, optional }, i) => {
            const isShape = ['a', 'b'].includes(name) && good[i] === shape;
            const values = wrongOf(isShape ? 'Shape' : type, name, good[i]);
            if (!optional) values.push({ value: undefined, name });
            for (const { value, name: named, may } of values) {
                if (allowed[call]?.(value)) continue;
                ++tried;
                const [hash, bodies] = [world.hash(), world.bodyCount()];
                const what = `${call}(${name}: ${textOf(value)})`;
                try {
                    f(...good.map((argument, k) => (k === i ? (/^addBod/.test(call) ? withOneOf(value) : value) : argument)));
                    if (!may) faults.push(`${what} is accepted`);
                    restore();
                } catch (error) {
                    const inWords = named.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
                    if (!(error instanceof TypeError || error instanceof TalusError)) faults.push(`${what}: ${error}`);
                    if (!may && !new RegExp(`\\b(${named}|${inWords})\\b`).test(error.message)) {
                        faults.push(`${what}: the error does not name ${named}: ${error.message}`);
                    }
                    if (/[a-z]_[a-z]|::|\bnan\b|\binf\b|\(w, x/.test(error.message)) faults.push(`${what}: speaks C++: ${error.message}`);
                    const [, caller] = /^(\w+): /.exec(error.message) ?? [];
                    if (caller in talus.World.prototype && caller !== call) faults.push(`${what}: names ${caller}(): ${error.message}`);
                    if (world.hash() !== hash || world.bodyCount() !== bodies) faults.push(`${what} has changed the world`);
                }
            }
        });
        return { tried, faults };
    }
    function refusesAll(t, calls) {
        const results = calls.filter(([, parameters]) => parameters.length > 0).map((call) => tryAll(...call));
        const faults = results.flatMap((result) => result.faults);
        t.diagnostic(`${results.reduce((sum, { tried }) => sum + tried, 0)} calls`);
        assert.equal(faults.length, 0, faults.slice(0, 40).join('\n'));
    }

    test('each wrong argument of a function of a world is refused by an error that names it', (t) => {
        const { constructor, destroy, ...functions } = types.of.World.functions;
        refusesAll(t, [
            ...Object.entries(functions).map(([name, parameters]) => [name, parameters, (...args) => world[name](...args)]),
            ...Object.entries(types.of.World.statics).map(([name, parameters]) =>
                [name, parameters, (...args) => talus.World[name](...args).destroy?.()]),
            ['World', constructor, (...args) => new talus.World(...args).destroy()],
        ]);
    });

    test('each wrong argument of another function is refused by an error that names it', (t) => {
        const { Talus, FixedStep, Assets, Mesh } = types.of;
        refusesAll(t, [
            ...Object.entries(Talus.functions).map(([name, parameters]) => [name, parameters, (...args) => talus[name](...args)]),
            ['FixedStep', FixedStep.functions.constructor, (...args) => new talus.FixedStep(...args)],
            ['advance', FixedStep.functions.advance, (...args) => new talus.FixedStep().advance(...args)],
            ['add', Assets.functions.add, (...args) => new talus.Assets().add(...args)],
            ['triangle', Mesh.functions.triangle, (...args) => mesh.triangle(...args)],
        ]);
    });
});

// ---- Nonsense -------------------------------------------------------------------------------------------------------

describe('nonsense', () => {
    /// A generator of pseudo-random numbers below n, the same in each run.
    function random(seed) {
        let state = seed;
        return (n) => {
            state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
            return Math.floor((state / 2 ** 32) * n);
        };
    }
    const methods = (object) => Object.getOwnPropertyNames(object).filter((name) => name !== 'constructor');

    for (const t of [talus, plain]) {
        test(`no argument of any function crashes it, ${t === talus ? 'with' : 'without'} SIMD`, () => {
            const pick = random(12345);
            let { world, bodies } = scene(t);
            const stale = bodies.pop();
            world.removeBody(stale);
            const joint = world.joints()[0];
            const hull = t.makeHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
            const mesh = t.makeMesh({ vertices: [0, 0, 0, 1, 0, 0, 0, 0, 1], indices: [0, 2, 1] });
            const values = [
                undefined, null, NaN, Infinity, -Infinity, 0, -0, 1, -1, 0.5, 1.5, 255, 1e9, -1e9, 2 ** 31, 2 ** 32, 2 ** 53, 1e39, 1e300, 5e-324,
                '', 'x', '12', '\u0000', 'main', 'turnX', 'dynamic', 'all', 'box', true, false, 5n, -1n, 2n ** 70n, Symbol('s'),
                () => 0, class {}, {}, [], [1], [1, 2, 3], [NaN, 0, 0], [0, Infinity, 0], [1e30, 1e30, 1e30], ['1', 2, 3], [[1, 2, 3]],
                [0, 0, 0, 1], [0, 0, 0, 0], { x: 1, y: 2, z: 3 }, { x: 'a' }, { length: 3 }, { length: 1e9 }, { length: -1 }, { length: NaN },
                new Float32Array(3), new Float64Array([1, 2, 3]), new Uint8Array(100), new BigInt64Array(3), new Uint8Array(0), new ArrayBuffer(8),
                new Map(), new Date(), /x/, Object.create(null), new Proxy({}, {}),
                { position: [1, 2, 3] }, { rotation: [0, 0, 0, 0] }, { lower: [0, 0, 0], upper: [1, 1, 1] }, { lower: NaN, upper: 1 },
                { origin: [0, 5, 0], translation: [0, -10, 0] }, [{ origin: [0, NaN, 0], translation: [0, -10, 0] }], [{}], [null],
                { shape: t.box(1, 1, 1) }, { shape: { type: 'hull', hull: null } }, { shape: { type: 'hull', hull } }, { type: 'fixed', mesh },
                { mesh }, { shapes: [] }, { shapes: [{ shape: t.sphere(1) }] }, { shapes: [{}] }, { massProperties: { mass: -1 } },
                { density: NaN }, { kind: 'hinge' }, { kind: 'gear', jointA: joint, jointB: 5 }, { kind: 'nothing' },
                { kind: 'ball', frames: { bodyA: bodies[0], bodyB: bodies[1] } }, { friction: -1 }, { category: 1.5 }, { category: 2 }, { mask: 0 },
                { hertz: NaN, maxForce: Infinity }, { speed: 1, maxForce: 1 }, { upper: -1, lower: 1 }, { gravity: [0, NaN, 0] }, { substeps: 1000 },
                { outlines: true, joints: true, featureIds: true, columns: true }, { line() {} }, { line: 5 },
                { vertices: [0, 0, 0], indices: [0, 1, 2] }, { vertices: 'abc', indices: {} }, { columns: 2, rows: 2, heights: [1, NaN, 2, 3] },
                { columns: 65536, rows: 65536, heights: [] }, t.sphere(1), t.box(1, 2, 3), { type: 'sphere', radius: NaN }, { type: 'box', halfExtents: [-1, 0, 1e30] },
                { type: 'segment', points: [[0, 0, 0], [0, 0, 0]] },
                t.hull(hull), hull, t.superellipsoid(1, 2, 1, 2, 3), mesh, new t.World(), t, world, bodies, bodies[0], bodies[1], bodies[20], stale, joint, bodies[0] + 0.25, -bodies[0],
                world.save(),
            ];
            const allowed = (error) => error instanceof TypeError || error instanceof TalusError;
            const calls = new Map();
            function call(name, f, self) {
                const args = Array.from({ length: pick(6) }, () => values[pick(values.length)]);
                calls.set(name, (calls.get(name) ?? 0) + 1);
                try {
                    return f.apply(self, args);
                } catch (error) {
                    if (!allowed(error)) {
                        error.message += ` in ${name}(${args.map((a) => { try { return JSON.stringify(a) ?? String(a); } catch { return typeof a; } }).join(', ')})`;
                        throw error;
                    }
                }
            }
            const worldMethods = methods(t.World.prototype).filter((name) => name !== 'destroy');
            const functions = Object.keys(t).filter((name) => typeof t[name] === 'function' && !/^[A-Z]/.test(name));
            for (let round = 0; round < 300; ++round) {
                for (const name of worldMethods) call(name, world[name], world);
                for (const name of functions) call(name, t[name], t);
                for (const name of ['load', 'applyChanges']) call(name, t.World[name], t.World);
                for (const name of ['World', 'FixedStep', 'Assets', 'Hull', 'Mapping', 'Mesh']) {
                    call(name, (...args) => {
                        const object = new t[name](...args);
                        object.destroy?.();
                        object.release?.();
                    });
                }
                const assets = new t.Assets(), clock = new t.FixedStep();
                call('add', assets.add, assets);
                for (const name of ['advance', 'dt', 'alpha', 'droppedSeconds']) call(name, clock[name], clock);
                for (const name of ['triangle', 'bounds', 'size']) call(name, mesh[name], mesh);
                for (const name of methods(t.Hull.prototype)) call(name, hull[name], [hull, mesh, {}, world][pick(4)]);
                if (round % 20 === 19) {
                    world.destroy();
                    world = scene(t).world;
                }
                world.setContactModifier(null);
            }
            for (const name of [...worldMethods, ...functions]) assert.ok(calls.get(name) >= 300, name);
            const { world: sound } = withFloor(t);
            const crate = sound.addBody({ shape: t.box(0.5, 0.5, 0.5), position: [0, 2, 0] });
            steps(sound, 120);
            near(sound.position(crate)[1], 0.5, 0.005);
        });
    }

    test('damaged bytes are refused or give a sound world', () => {
        const pick = random(777);
        const { world } = scene(talus);
        steps(world, 30);
        const bytes = world.save();
        for (let i = 0; i < 200; ++i) {
            const damaged = bytes.slice();
            for (let k = 0; k <= pick(4); ++k) damaged[pick(damaged.length)] = pick(256);
            try {
                const loaded = talus.World.load(damaged);
                loaded.step(dt);
                loaded.destroy();
            } catch (error) {
                if (!(error instanceof TalusError)) throw error;
            }
        }
    });
});

// ---- Memory ---------------------------------------------------------------------------------------------------------

describe('memory', () => {
    const thousand = Array.from({ length: 1000 }, (_, i) =>
        ({ shape: talus.sphere(0.5), position: [(i % 10) * 1.1, 1 + Math.floor(i / 100) * 1.1, (Math.floor(i / 10) % 10) * 1.1] }));
    const cycles = Number(process.env.TALUS_CYCLES ?? 1000);

    test(`${cycles} worlds of 1,000 bodies, destroyed, leave the memory flat`, () => {
        let flat = 0;
        for (let i = 0; i < cycles; ++i) {
            const { world } = withFloor();
            world.addBodies(thousand);
            world.step(dt);
            if (i === 4) flat = memoryOf(world);
            if (i > 4) assert.equal(memoryOf(world), flat);
            world.destroy();
        }
    });

    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    /// Collects garbage, and lets the collector call the functions that free the library's memory: it does so in later
    /// tasks.
    async function collect() {
        for (let i = 0; i < 3; ++i) {
            gc();
            await new Promise((done) => setTimeout(done, 1));
        }
    }

    test('worlds, hulls and meshes that nothing refers to are freed', async () => {
        const t = await load();
        let flat = 0;
        for (let i = 0; i < 60; ++i) {
            const world = new t.World();
            const hull = t.makeHull(Array.from({ length: 200 }, (_, k) => [Math.sin(k), Math.cos(k * 7), Math.sin(k * k)]));
            const heights = new Float32Array(101 * 101);
            world.addBody({ type: 'fixed', mesh: t.makeHeightField({ columns: 101, rows: 101, heights }) });
            world.addBodies(thousand.map((def) => ({ ...def, shape: t.hull(hull) })));
            world.describeBody(world.bodies()[1]);
            world.step(dt);
            if (i === 10) flat = memoryOf(world);
            if (i === 59) assert.ok(memoryOf(world) <= 1.5 * flat, `${flat} bytes became ${memoryOf(world)}`);
            await collect();
        }
    });

    test('a description keeps its hulls alive', async () => {
        const hullOf = () => {
            const world = new talus.World();
            const hull = talus.makeHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
            const { hull: described } = world.describeBody(world.addBody({ shape: talus.hull(hull) })).shapes[0].shape;
            world.destroy();
            hull.release();
            return described;
        };
        const hull = hullOf();
        await collect();
        near(hull.volume(), 1 / 6, 1e-6);
        hull.release();
        refuses('badArgument', /released/, () => hull.volume());
    });
});

// ---- Threads --------------------------------------------------------------------------------------------------------

describe('threads', () => {
    /// A heap that falls: boxes, spheres, a chain, and a contact modifier, which the stepping thread calls.
    function heap(t) {
        const { world } = withFloor(t, { timing: 'pairs' });
        let last = null;
        for (let i = 0; i < 400; ++i) {
            const shape = i % 3 === 0 ? t.sphere(0.5) : t.box(0.5, 0.4, 0.5);
            const position = [(i % 8) * 1.05 - 4, 1 + Math.floor(i / 64) * 1.1, (Math.floor(i / 8) % 8) * 1.05 - 4];
            const body = world.addBody({ shape, position, modifyContacts: i % 50 === 0 });
            if (i % 20 === 1) last = body;
            if (i % 20 === 2) world.addJoint({ kind: 'ball', frames: world.jointFrames(last, body, position) });
        }
        let modified = 0;
        world.setContactModifier(() => void ++modified);
        return { world, modified: () => modified };
    }

    test('any number of them gives the same bits, and they do part of the work', async () => {
        const alone = heap(talus);
        steps(alone.world, 100);
        for (const threads of [2, 3]) {
            const t = await load({ threads });
            assert.equal(t.threads, threads);
            assert.equal(t.tasksOfWorkers(), 0);
            const { world, modified } = heap(t);
            steps(world, 100);
            assert.equal(world.hash(), alone.world.hash());
            assert.equal(modified(), alone.modified());
            assert.ok(t.tasksOfWorkers() > 0, 'workers do tasks');
            assert.ok(world.profile().total > 0);
            assert.equal(t.World.load(world.save()).hash(), world.hash());
        }
    });

    test('memory that grows while they work is seen by all', async () => {
        const t = await load({ threads: 2 });
        const { world } = withFloor(t);
        for (let k = 0; k < 20; ++k) {  // each layer grows lists of the step; the memory begins with 16 MB
            world.addBodies(Array.from({ length: 1000 }, (_, i) =>
                ({ shape: t.box(0.5, 0.5, 0.5), position: [(i % 40) - 20, 0.5 + k, Math.floor(i / 40) - 12] })));
            world.step(dt);
            const { count, poses } = world.moved();
            for (let i = 0; i < 7 * count; ++i) assert.ok(Number.isFinite(poses[i]), `pose ${i} of ${count} in layer ${k}`);
        }
        assert.ok(memoryOf(world) > 2 ** 24, `${memoryOf(world)} bytes`);
    });

    test('without SIMD there is one, and a program with workers ends', async () => {
        const t = await load({ threads: 4, simd: false });
        assert.equal(t.threads, 1);
        const address = JSON.stringify(pathToFileURL(join(folder, 'talus.mjs')));
        const code = `import { load } from ${address}; const t = await load({ threads: 3 }); new t.World().step(1 / 60); console.log(t.threads);`;
        assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 60000 }).toString(), '3\n');
    });

    /// Loads the library with threads, and memory for so many pages of 64 KB.
    async function loadSmall(pages) {
        const { Memory } = WebAssembly;
        WebAssembly.Memory = class extends Memory {
            constructor(descriptor) {
                super({ ...descriptor, maximum: pages });
            }
        };
        try {
            return await load({ threads: 2 });
        } finally {
            WebAssembly.Memory = Memory;
        }
    }

    test('running out of memory is said as such, and ends the world', async () => {
        const t = await loadSmall(2048);
        const { world } = withFloor(t);
        world.addBodies(Array.from({ length: 2000 }, (_, i) =>
            ({ shape: t.box(0.5, 0.5, 0.5), position: [(i % 20) - 10, 0.5 + Math.floor(i / 400), (Math.floor(i / 20) % 20) - 10] })));
        const copies = [];
        refuses('outOfMemory', /no more memory/, () => {
            for (;;) copies.push(world.clone());
        });
        refuses('outOfMemory', /no more memory/, () => {  // by whichever thread
            for (;;) copies[0].step(dt);
        });
        refuses('badArgument', /ran out of memory/, () => copies[0].step(dt));
        copies.splice(1).forEach((copy) => copy.destroy());
        copies[0].assign(world);
        copies[0].step(dt);
        world.step(dt);
        assert.equal(copies[0].hash(), world.hash());
    });

    test('a module without threads, or of something else, is refused', async () => {
        const bytes = (name) => readFileSync(join(folder, name));
        await assert.rejects(load({ threads: 2, wasm: bytes('talus-simd.wasm') }), /threads is 2/);
        await assert.rejects(load({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) }), /wasm must be a module of this package/);
        assert.equal((await load({ wasm: new DataView(new Uint8Array(bytes('talus.wasm')).buffer) })).version, talus.version);
        assert.equal((await load({ threads: 2, wasm: bytes('talus-threads.wasm') })).threads, 2);
        assert.equal((await load({ threads: 2, worker: pathToFileURL(join(folder, 'worker.mjs')) })).threads, 2);
    });

    test('a misspelled option of load() is refused', async () => {
        await assert.rejects(load({ thread: 4 }), /options has no field thread/);
        await assert.rejects(load({ simd: 'x' }), /simd must be true or false/);
        for (const options of [null, 5, 'x']) await assert.rejects(load(options), /options must be an object/);
    });

    test('a wrong number of them is refused by name', async () => {
        for (const threads of [0, -1, 1.5, NaN, 1025, '2', null]) {
            await assert.rejects(load({ threads }), (error) => error instanceof TypeError && /^threads must be/.test(error.message));
        }
    });
});

// ---- The package ----------------------------------------------------------------------------------------------------

describe('the package', () => {
    const scripts = ['talus.mjs', 'world.mjs', 'memory.mjs', 'threads.mjs', 'module.mjs'].map((name) => readFileSync(join(folder, name), 'utf8')).join('') +
        readFileSync(join(root, 'bindings/js/bridge.cpp'), 'utf8');
    const types = readFileSync(join(folder, 'talus.d.ts'), 'utf8');

    test('uses every function of the C header, except for those that generate.mjs leaves out', () => {
        const functions = functionsOf(readHeader(join(root, 'include/talus/c/talus.h')));
        assert.ok(functions.length > 180);
        const unused = functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(scripts));
        assert.deepEqual(unused.sort(), Object.keys(leftOut).sort());
    });

    test('declares every function, field and word', () => {
        const declared = (name) => new RegExp(`\\b${name}\\b`).test(types);
        const names = [
            ...Object.getOwnPropertyNames(talus.World.prototype), 'load', 'applyChanges', ...Object.keys(talus),
            ...Object.values(enums).flat().filter((word) => word !== 'no'),
        ];
        const internal = new Set(['size', 'of', 'axis', 'user', 'run', 'valid', 'hit', 'r', 'g', 'b', 'a', 'data', 'message']);
        for (const [type, { fields }] of Object.entries(structs)) {
            if (/Jobs|DebugDraw$|Error$|Bytes$|JointDef\.of$|Mat3/.test(type)) continue;
            names.push(...Object.keys(fields).filter((name) => !internal.has(name) && !/Count$/.test(name)));
        }
        assert.deepEqual(names.filter((name) => !declared(name)), []);
    });

    /// The programs of the examples and documents, each as {name, code, printed}; `printed` is what its comments say it
    /// prints.
    function programs() {
        const text = (file) => readFileSync(file, 'utf8');
        const first = text(join(folder, 'examples/first.mjs'));
        const prelude = "import { load } from 'talus-physics';\nconst talus = await load();\nconst world = new talus.World();\n";
        const list = [{ name: 'first.mjs', code: first, printed: ['The crate rests at 0.50 m.'] }];
        for (const document of [join(folder, 'README.md'), join(root, 'docs/javascript.md')]) {
            for (const [, code] of text(document).matchAll(/```js\n([^]*?)```/g)) {
                const printed = [...code.matchAll(/console\.log\(.*\);? *\/\/ (.*)$/gm)].map((m) => m[1]);
                list.push({ name: `${basename(document, '.md')}${list.length}.mjs`, code: /from 'talus-physics'/.test(code) ? code : prelude + code, printed });
            }
        }
        // All programs of the guide, one after the other in one module.
        const guide = list.filter(({ name }) => name.startsWith('javascript'));
        list.push({
            name: 'guide.mjs', code: guide.map(({ code }, i) => (i > 0 ? code.replace(prelude, '') : code)).join('\n'),
            printed: guide.flatMap(({ printed }) => printed),
        });
        for (const program of list) program.code = program.code.replaceAll("'../talus.mjs'", "'talus-physics'");
        return list;
    }

    const withoutTsc = { skip: !process.env.TALUS_TSC && 'TALUS_TSC is not set' };
    test('has types that compile, and examples and documents that fit to them', withoutTsc, () => {
        const out = mkdtempSync(join(tmpdir(), 'talus-ts-'));
        mkdirSync(join(out, 'node_modules'));
        symlinkSync(folder, join(out, 'node_modules/talus-physics'));
        writeFileSync(join(out, 'program.mts'), readFileSync(join(root, 'tests/bindings/js_types.mts')));
        for (const { name, code } of programs()) writeFileSync(join(out, name), code);
        const page = readFileSync(join(folder, 'examples/three.html'), 'utf8');
        const [, script] = /<script type="module">\n([^]*)<\/script>/.exec(page);
        writeFileSync(join(out, 'page.mjs'), script.replace("'../talus.mjs'", "'talus-physics'"));
        writeFileSync(join(out, 'modules.d.ts'), "declare module 'three';\n");  // its types are in another package
        const common = { noEmit: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
        const compile = (name, options) => {
            writeFileSync(join(out, name), JSON.stringify(options));
            execFileSync(process.execPath, [process.env.TALUS_TSC, '-p', join(out, name)], { stdio: 'inherit' });
        };
        compile('types.json', { compilerOptions: { ...common, strict: true }, files: ['program.mts'] });
        compile('examples.json', {
            compilerOptions: { ...common, allowJs: true, checkJs: true, strictNullChecks: true },
            files: ['modules.d.ts', 'page.mjs', ...programs().map(({ name }) => name)],
        });
    });

    test('has examples and documents whose programs run and print what they say', () => {
        const out = mkdtempSync(join(tmpdir(), 'talus-docs-'));
        const address = JSON.stringify(String(pathToFileURL(join(folder, 'talus.mjs'))));
        const list = programs();
        assert.ok(list.length >= 3);
        assert.ok(list[0].code.trim().split('\n').length <= 10, 'the first program has at most ten lines');
        const page = readFileSync(join(folder, 'examples/three.html'), 'utf8');
        assert.ok(page.trim().split('\n').length <= 40, 'the page with three.js has at most forty lines');
        for (const { name, code, printed } of list) {
            const file = join(out, name);
            writeFileSync(file, code.replaceAll("'talus-physics'", address));
            const lines = execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
            assert.deepEqual(lines, printed, `${name}:\n${code}`);
        }
    });

    test('loads a module from bytes, a compiled module, a response and an address', async () => {
        const bytes = readFileSync(join(folder, 'talus.wasm'));
        const response = new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
        const address = pathToFileURL(join(folder, 'talus.wasm'));
        for (const wasm of [bytes, await WebAssembly.compile(bytes), response, address, String(address), './talus.wasm', Promise.resolve(bytes)]) {
            assert.equal((await load({ wasm })).version, talus.version);
        }
        await assert.rejects(load({ wasm: 5 }), TypeError);
        await assert.rejects(load({ wasm: new Response('', { status: 404 }) }), /404/);
    });
});

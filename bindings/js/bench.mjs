// Prints what JavaScript adds to the library's cost, and the sizes and times of saved worlds:
//
//     node bindings/js/bench.mjs [PACKAGE]
//
// PACKAGE is the package's folder, by default build/wasm/npm. Short calls are timed many at once, the fastest of seven
// repetitions; for longer ones, the median of single calls is printed.

import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2] ?? join(here, '../../build/wasm/npm'));
const { load } = await import(pathToFileURL(join(folder, 'talus.mjs')));

/// Returns the seconds of one call of f, the fastest of seven repetitions of `count` calls.
function time(count, f) {
    let best = Infinity;
    for (let k = 0; k < 7; ++k) {
        const start = performance.now();
        for (let i = 0; i < count; ++i) f(i);
        best = Math.min(best, (performance.now() - start) / 1000 / count);
    }
    return best;
}
/// Returns the median of the seconds of single calls of f.
function median(count, f) {
    const seconds = Array.from({ length: count + 20 }, () => {
        const start = performance.now();
        f();
        return (performance.now() - start) / 1000;
    });
    return seconds.slice(20).sort((a, b) => a - b)[count >> 1];
}
function shown(seconds) {
    if (seconds < 1e-6) return `${(seconds * 1e9).toFixed(0)} ns`;
    return seconds < 1e-3 ? `${(seconds * 1e6).toFixed(1)} us` : `${(seconds * 1e3).toFixed(1)} ms`;
}
const print = (what, ...times) =>
    console.log(`${what.padEnd(58)} ${times.map((t) => shown(t).padStart(9)).join('  ')}`);

const start = performance.now();
const talus = await load();
print('load the library', (performance.now() - start) / 1000);

function withFloor(def) {
    const world = new talus.World(def);
    world.addBody({ type: 'fixed', shape: talus.box(100, 1, 100), position: [0, -1, 0] });
    return world;
}

// ---- Calls ---------------------------------------------------------------------------------------------------------

{
    const world = withFloor();
    const grid = Array.from({ length: 10000 }, (_, i) =>
        ({ shape: talus.sphere(0.5), position: [(i % 100) * 2 - 99, 5, Math.floor(i / 100) * 2 - 99] }));
    const bodies = world.addBodies(grid);
    world.step(1 / 60);
    const [body, list, place] = [bodies[77], new Float64Array(bodies), [0, 0, 0]];
    console.log('\nCalls');
    print('bodyCount(): the least that a call costs', time(1e6, () => world.bodyCount()));
    print('mass(body)', time(1e6, () => world.mass(body)));
    print('position(body), position(body, array)', time(3e5, () => world.position(body)),
        time(3e5, () => world.position(body, place)));
    print('linearVelocity(body, array)', time(3e5, () => world.linearVelocity(body, place)));
    print('applyForce(body, force)', time(3e5, () => world.applyForce(body, place)));
    print('setTransform(body, position, rotation)', time(1e5, () =>
        world.setTransform(body, [-99, 5, -99], [0, 0, 0, 1])));
    print('rayCast(): no hit, a hit', time(3e4, () => world.rayCast([0, 50, 0], [0, 10, 0])),
        time(3e4, () => world.rayCast([0, 50, 0], [0, -100, 0])));
    const def = { shape: grid[0].shape, position: [0, 0, 500] };
    print('addBody() and removeBody()', time(3000, () => world.removeBody(world.addBody(def))));
    world.step(1 / 60);
    console.log('\nPoses of 10,000 bodies that moved');
    const copy = new Float32Array(70000);
    const sum = ({ count, poses }) => {
        let heights = 0;
        for (let i = 0; i < count; ++i) heights += poses[7 * i + 1];
        return heights;
    };
    print('moved()', median(2001, () => world.moved()));
    print('moved(), and the sum of all heights', median(2001, () => sum(world.moved())));
    print('moved(), and a copy of all poses', median(2001, () => copy.set(world.moved().poses)));
    print('poses(bodies)', median(501, () => world.poses(list)));
    print('position(body, array) of each', median(51, () => { for (const b of bodies) world.position(b, place); }));
    world.destroy();
}

// ---- Steps ---------------------------------------------------------------------------------------------------------

console.log("\nA step of boxes that lie on a floor: timing 'off', 'stages'");
for (const count of [100, 10, 1, 0]) {
    const times = ['off', 'stages'].map((timing) => {
        const world = withFloor({ timing, allowSleep: false });
        world.addBodies(Array.from({ length: count }, (_, i) =>
            ({ shape: talus.box(0.5, 0.5, 0.5), position: [(i % 10) * 1.5, 0.5, Math.floor(i / 10) * 1.5] })));
        for (let i = 0; i < 120; ++i) world.step(1 / 60);
        const seconds = median(1001, () => world.step(1 / 60));
        world.destroy();
        return seconds;
    });
    print(`${count} boxes`, ...times);
}

// ---- Threads -------------------------------------------------------------------------------------------------------

{
    // The same pile in two libraries, step by step in turn.
    console.log('\nA step of a falling pile of boxes, spheres and cylinders: one thread, two');
    const libraries = [talus, await load({ threads: 2 })];
    for (const count of [100, 1000, 4000]) {
        const worlds = libraries.map((t) => {
            const world = new t.World({ allowSleep: false });
            world.addBody({ type: 'fixed', shape: t.box(100, 1, 100), position: [0, -1, 0] });
            const shapes = [t.box(0.5, 0.4, 0.3), t.sphere(0.5), t.cylinder(0.4, 0.4)];
            const width = Math.ceil(Math.cbrt(count));
            world.addBodies(Array.from({ length: count }, (_, i) => ({
                shape: shapes[i % 3],
                position: [i % width, Math.floor(i / width ** 2), Math.floor(i / width) % width].map((k) => 1 + 1.2 * k),
            })));
            return world;
        });
        const times = worlds.map(() => []);
        for (let k = 0; k < 150; ++k) {
            worlds.forEach((world, i) => {
                const begin = performance.now();
                world.step(1 / 60);
                times[i].push((performance.now() - begin) / 1000);
            });
        }
        if (worlds[0].hash() !== worlds[1].hash()) throw new Error('the bits differ');
        print(`${count} bodies`, ...times.map((list) => list.sort((a, b) => a - b)[list.length >> 1]));
        worlds.forEach((world) => world.destroy());
    }
}

// ---- Saved worlds --------------------------------------------------------------------------------------------------

{
    let state = 1;
    const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
    const cloud = () => Array.from({ length: 20 }, () => [random(), random(), random()]);
    const hulls = Array.from({ length: 50 }, () => talus.makeHull(cloud()));
    const world = withFloor();
    world.addBodies(Array.from({ length: 1000 }, (_, i) => ({
        shape: talus.hull(hulls[i % 50]),
        position: [(i % 10) * 1.1 - 5, 1 + Math.floor(i / 100) * 1.1, (Math.floor(i / 10) % 10) * 1.1 - 5],
    })));
    for (let i = 0; i < 120; ++i) world.step(1 / 60);
    const bytes = world.save();
    world.step(1 / 60);
    const changes = world.saveChanges(bytes);
    const other = world.clone();
    const megabytes = ({ length }) => `${(length / 1e6).toFixed(2)} MB`;
    const [contacts, pairs] = [world.contacts(), world.pairs()].map((list) => list.length);
    console.log(`\nA pile of 1,000 hulls (50 different ones, ${contacts} contacts, ${pairs} pairs): ` +
        `${megabytes(bytes)}; the changes of one step: ${megabytes(changes)}`);
    print('save()', median(11, () => world.save()));
    print('World.load()', median(11, () => talus.World.load(bytes).destroy()));
    print('saveChanges(), World.applyChanges()', median(11, () => world.saveChanges(bytes)),
        median(11, () => talus.World.applyChanges(bytes, changes)));
    print('clone(), assign()', median(11, () => world.clone().destroy()), median(51, () => other.assign(world)));
    print('hash()', median(51, () => world.hash()));
    const thousand = Array.from({ length: 1000 }, (_, i) =>
        ({ shape: talus.sphere(0.5), position: [2 * (i % 32), 1, 2 * Math.floor(i / 32)] }));
    print('new World(), addBodies() of 1,000, step(), destroy()', median(51, () => {
        const made = withFloor();
        made.addBodies(thousand);
        made.step(1 / 60);
        made.destroy();
    }));
}

// A program that uses the types of the package. It is compiled, not run: js_test.mjs.

import {
    load, TalusError, World, type BodyDef, type BodyId, type CastHit, type JointDef, type JointId, type Shape, type Talus,
} from 'talus-physics';

const talus: Talus = await load({ simd: true });
const world: World = new talus.World({ gravity: [0, -9.81, 0], substeps: 4, timing: 'off' });
const shape: Shape = talus.box(0.5, 0.5, 0.5);
const def: BodyDef = { shape, position: { x: 0, y: 1, z: 2 }, rotation: new Float32Array([0, 0, 0, 1]), locks: talus.locks.x };
const crate: number = world.addBody(def);
const many: number[] = world.addBodies([def, { ...def, type: 'fixed', userData: 5n }]);
world.step(1 / 60);
const y: number = world.position(crate)[1];
const place: Float64Array = world.position(crate, new Float64Array(3));
class Turning { x = 0; y = 0; z = 0; w = 1; length() { return 1; } }  // as three.js's Quaternion
const turning: Turning = world.rotation(crate, new Turning());
world.setTransform(crate, turning, turning);
// @ts-expect-error  a rotation has w, too
world.rotation(crate, { x: 0, y: 0, z: 0 });
// @ts-expect-error  neither a list nor x, y and z
world.position(crate, {});
const hit: CastHit | null = world.rayCast([0, 5, 0], [0, -10, 0], { mask: 1 });
if (hit) console.log(hit.position[0] + hit.fraction, hit.triangle?.toFixed());
const joint: JointDef = { kind: 'hinge', frames: world.jointFrames(crate, many[0]!, [0, 0, 0]), limit: { upper: 1 } };
const id = world.addJoint(joint);
world.setJointMotor(id, { speed: 1, maxForce: 2 }, 'main');
world.addJoint({ kind: 'sixDof', frames: { bodyA: crate, bodyB: many[1]! }, moveX: { limit: {} } });
world.setContactModifier((contact) => {
    contact.friction *= 2;
    contact.points[0]!.enabled = false;
    // @ts-expect-error  the normal may not be changed
    contact.normal = [0, 0, 0];
});
const { count, poses, bodies } = world.moved();
const sum: number = poses[7 * (count - 1)]! + bodies[0]!;
const bytes: Uint8Array = world.save();
const loaded = talus.World.load(bytes);
talus.World.load(bytes.buffer).assign(talus.World.load(new DataView(bytes.buffer)));
const later: Uint8Array = talus.World.applyChanges(new SharedArrayBuffer(8), world.saveChanges(bytes.buffer));
console.log(later);
// @ts-expect-error  an array is no bytes
talus.World.load([1, 2, 3]);
loaded.draw({ line(from, to, color) { console.log(from[0], to[1], color[3]); } }, { outlines: true, region: { lower: [0, 0, 0], upper: [1, 1, 1] } });
world.addBody(loaded.describeBody(crate));
try {
    world.setMass(crate, -1);
} catch (error) {
    if (error instanceof TalusError && error.code === 'badSize') console.log(error.message);
    // @ts-expect-error  there is no such code
    if (error instanceof TalusError && error.code === 'bad') console.log(error.message);
}
const mesh = talus.makeMesh({ vertices: [[0, 0, 0], [1, 0, 0], [0, 0, 1]], indices: [0, 2, 1] });
const assets = new talus.Assets();
assets.add('ground', mesh);
console.log(mesh instanceof talus.Mesh, world.profile().rungs.warmGjk.pairs, y, place, sum, world.hash().length);

// Handles: those of bodies are not those of joints, and plain numbers are accepted for both.
const body: BodyId = world.addBody(def);
const hinge: JointId = world.addJoint(joint);
const listed: BodyId = world.moved().bodies[0]!;
const byBody = new Map<BodyId, string>([[body, 'crate'], [5, 'five'], [listed, 'moved']]);
console.log(world.position(0), world.jointSpeed(5), byBody.get(listed), talus.slotOf(body) + talus.slotOf(hinge));
console.log(world.poses(many), world.poses(world.bodies()), world.velocities(bodies), body === 0);
const none: BodyId = 0;
console.log(none, world.bodyA(hinge) === body);
// @ts-expect-error  the handle of a joint is not that of a body
world.position(hinge);
// @ts-expect-error  the handle of a body is not that of a joint
world.removeJoint(body);
// @ts-expect-error  the handle of a joint is not that of a body
world.addJoint({ kind: 'ball', frames: { bodyA: body, bodyB: hinge } });
// @ts-expect-error  the handles of joints are not those of bodies
world.poses(world.joints());

// @ts-expect-error  a body's type is one of three words
world.addBody({ type: 'dynamik' });
// @ts-expect-error  there is no such field
world.addBody({ positon: [0, 0, 0] });
// @ts-expect-error  a hinge has no cone
const wrong: JointDef = { kind: 'hinge', frames: { bodyA: 1, bodyB: 2 }, cone: 1 };
console.log(wrong);
// @ts-expect-error  World is a type here; its value is a property of what load() returns
console.log(new World());

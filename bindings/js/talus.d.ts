/**
 * Talus for JavaScript: rigid-body physics.
 *
 * - **Units** are SI: m, kg, s, N, rad. Frames are right-handed, +y is up.
 * - **Vectors** are arrays of numbers, `[x, y, z]`; quaternions are `[x, y, z, w]`. Arguments may also be typed arrays,
 *   or objects with x, y and z (and w), such as those of three.js.
 * - **Handles** of bodies and joints are numbers; 0 is null. A handle stays recognisable after its body was removed:
 *   calls with it throw. Bodies and joints are counted apart: a body and a joint may have the same number.
 * - **Errors.** A call that the engine refuses throws a {@link TalusError} and leaves the world as it was. An argument
 *   of a wrong type, and a number that no handle can be, throw a TypeError that names the argument.
 * - **Definitions** are plain objects. Every field has a default, except where its comment says so.
 * - **Memory.** Worlds, hulls and meshes are freed some time after nothing refers to them. `destroy()` and `release()`
 *   free them at once, for programs that make many.
 */

/** Three numbers: an array, a typed array, or an object such as three.js's Vector3. */
export type Vector = ArrayLike<number> | { readonly x: number; readonly y: number; readonly z: number };
/** A unit quaternion, x first: an array, a typed array, or an object such as three.js's Quaternion. */
export type Rotation =
    | ArrayLike<number>
    | { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
/** A list of numbers. */
export type Numbers =
    | readonly number[]
    | Float32Array
    | Float64Array
    | Int8Array
    | Uint8Array
    | Uint8ClampedArray
    | Int16Array
    | Uint16Array
    | Int32Array
    | Uint32Array;
/** Three numbers that a function returns. */
export type Vec3 = [number, number, number];
/** A quaternion that a function returns, x first. */
export type Quat = [number, number, number, number];
/** What three numbers can be written to: an array, a typed array, or an object such as three.js's Vector3. */
export type WritableVector = { readonly length: number; [index: number]: number } | { x: number; y: number; z: number };
/** What a quaternion can be written to, x first: an array, a typed array, or an object such as three.js's Quaternion. */
export type WritableRotation =
    | { readonly length: number; [index: number]: number }
    | { x: number; y: number; z: number; w: number };
/** Bytes: a buffer, or a view of one, such as a Uint8Array, a DataView or Node's Buffer. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

declare const handleOf: unique symbol;
/**
 * The handle of a body. 0 is null. A body and a joint may have the same number, so TypeScript refuses the handle of one
 * where it wants that of the other. Plain numbers, such as those of `moved().bodies` or of a file, are accepted.
 */
export type BodyId = number & { readonly [handleOf]?: 'body' };
/** The handle of a joint. 0 is null. */
export type JointId = number & { readonly [handleOf]?: 'joint' };
/** A list of handles of bodies. */
export type BodyIds = readonly BodyId[] | Float64Array;
/** Numbers of your own: an integer from 0 to 2^53 - 1, or a BigInt from 0 to 2^64 - 1. Talus never reads them. */
export type UserData = number | bigint;

export type ErrorCode =
    /** a NaN or an infinity where a number is needed */
    | 'notFinite'
    /** a length, radius, mass or count that is zero, negative or out of range */
    | 'badSize'
    /** points that span no volume, an axis of length zero */
    | 'degenerateShape'
    /** more vertices, shapes or bodies than can be stored */
    | 'tooComplex'
    /** the body or joint was removed, or never existed */
    | 'staleHandle'
    /** any other argument that is not allowed */
    | 'badArgument'
    /** saved bytes that are damaged, or of another format */
    | 'badData'
    /** there is no more memory; a world whose change was interrupted may only be destroyed or assigned to */
    | 'outOfMemory';

/** A call that was refused. Its message is a sentence with the value that was given and what is allowed. */
export declare class TalusError extends Error {
    readonly name: 'TalusError';
    readonly code: ErrorCode;
}

/** A pose: rotate, then translate. */
export interface Pose {
    /** m; default: the origin */
    position?: Vector;
    /** default: none, [0, 0, 0, 1] */
    rotation?: Rotation;
}
/** A pose that a function returns. */
export interface Transform {
    /** m */
    position: Vec3;
    rotation: Quat;
}
/** A box along the axes of some frame, m. */
export interface Aabb {
    lower: Vec3;
    upper: Vec3;
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------

/** A convex shape in its own frame. Make one with the functions of {@link Talus}, such as `talus.box()`. */
export type Shape =
    | { type: 'sphere'; /** m */ radius: number }
    | { type: 'capsule'; /** m */ radius: number; /** (0, half height, 0), m */ halfExtents: Vector }
    | { type: 'box'; /** of the core, m */ halfExtents: Vector; /** swept around the core, m, >= 0 */ radius?: number }
    | { type: 'ellipsoid'; /** the radii, m */ halfExtents: Vector }
    | { type: 'superellipsoid' | 'convexSum'; mapping: Mapping }
    | { type: 'cylinder' | 'cone'; /** (radius, half height, radius), m */ halfExtents: Vector }
    | { type: 'segment' | 'triangle'; /** m, >= 0 */ radius?: number; /** two or three, m */ points: Vector[] }
    | { type: 'hull'; hull: Hull; /** swept around it, m, >= 0 */ radius?: number };

/** A convex polyhedron, shared by shapes. Made by `talus.makeHull()`. */
export interface Hull {
    /** m^3 */
    volume(): number;
    /** x, y and z of each vertex, m */
    vertices(): Float32Array;
    /** the vertices of each face, counter-clockwise seen from outside */
    faces(): number[][];
    /** Frees it now. Bodies that use it keep it. */
    release(): void;
}

/** A superellipsoid or a convex sum, shared by shapes. Made by `talus.superellipsoid()` or `talus.convexSum()`. */
export interface Mapping {
    /** Frees it now. Bodies and sums that use it keep it. */
    release(): void;
}

/** A triangle mesh or height field, shared by shapes. Made by `talus.makeMesh()` or `talus.makeHeightField()`. */
export interface Mesh {
    /** number of triangles */
    size(): number;
    /** box around all triangles, m */
    bounds(): Aabb;
    /** The corners of a triangle (m), and its index in the data that the mesh was made from. */
    triangle(index: number): { points: [Vec3, Vec3, Vec3]; source: number };
    /** Frees it now. Bodies that use it keep it. */
    release(): void;
}

export interface MeshDef {
    /** m: x, y and z of each vertex, or a list of vectors */
    vertices: Numbers | readonly Vector[];
    /** three per triangle, counter-clockwise seen from its front */
    indices: Numbers;
    /** one number per triangle, 0 to 255; default: all 0 */
    materials?: Numbers | null;
    /** stops bodies from both sides; default: from the front only */
    twoSided?: boolean;
    /** the boundary of a solid of any shape, which dynamic bodies can have: closed and one-sided */
    solid?: boolean;
}

/** Heights on a grid, along x first. */
export interface HeightFieldDef {
    /** samples along x, 2 to 32,769 */
    columns: number;
    /** samples along z, 2 to 32,769 */
    rows: number;
    /** columns * rows, row by row, m */
    heights: Numbers;
    /** distance of samples along x, m; default: 1 */
    spacingX?: number;
    /** distance of samples along z, m; default: 1 */
    spacingZ?: number;
    /** (columns - 1) * (rows - 1), one per cell; default: all 0 */
    materials?: Numbers | null;
    /** stops bodies from both sides; default: from above only */
    twoSided?: boolean;
    /** (columns - 1) * (rows - 1), one per cell, not 0: a hole; default: no holes */
    holes?: Numbers | null;
}

export interface MassProperties {
    /** kg */
    mass: number;
    /** in the shape's or body's frame, m */
    center: Vector;
    /** about the centre, nine numbers, kg m^2 */
    inertia: ArrayLike<number>;
}

/** How near two shapes are. In the frame of A. */
export interface Separation {
    /** m; negative: how deep they overlap */
    separation: number;
    /** unit, from A to B */
    normal: Vec3;
    /** on A's surface, m */
    pointA: Vec3;
    /** on B's surface, m */
    pointB: Vec3;
}

/** Where a ray or a moving shape meets a shape. */
export interface ShapeHit {
    /** part of the translation, 0 to 1 */
    fraction: number;
    /** on the shape that is hit, m */
    point: Vec3;
    /** outward unit normal there */
    normal: Vec3;
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

/** How a body moves: never, by its velocity only, or by forces, contacts and joints. */
export type BodyType = 'fixed' | 'kinematic' | 'dynamic';
/** Which bodies a fast body must not pass through: none, fixed and kinematic ones, or all. */
export type Continuous = 'off' | 'fixed' | 'all';

/** Layers that a shape belongs to, and layers that it collides with. */
export interface Filter {
    /** bits of the layers it belongs to, -2^31 to 2^32 - 1; read back, they are not negative; default: 1 */
    category?: number;
    /** bits of the layers it collides with, likewise, such as `~2`; default: all, 0xffffffff */
    mask?: number;
    /** 0: none; equal positive groups collide, equal negative ones do not; default: 0 */
    group?: number;
}

/** Surface properties of a shape. A contact combines those of its two shapes. */
export interface Material {
    /** Coulomb coefficient, >= 0; a contact uses sqrt(a * b); default: 0.6 */
    friction?: number;
    /** 0 (no bounce) to 1; a contact uses the greater; default: 0 */
    restitution?: number;
    /** >= 0; a contact uses the greater; default: 0 */
    rollingResistance?: number;
    /** direction of full friction in the shape's frame; zero: the same in all directions; default: zero */
    gripAxis?: Vector;
    /** friction across that axis over friction along it, 0 to 1; default: 1 */
    gripAcross?: number;
    /** of a conveyor belt, in the shape's frame, m/s; default: zero */
    surfaceVelocity?: Vector;
}

/** Fields of a shape in a body. */
export interface ShapeOptions {
    /** geometry; not used if there is a mesh */
    shape?: Shape;
    /** in place of `shape`, for fixed and kinematic bodies */
    mesh?: Mesh | null;
    /** surface properties */
    material?: Material;
    /** by the material numbers of the mesh's triangles */
    meshMaterials?: Material[];
    /** kg/m^3, >= 0; default: 1000 */
    density?: number;
    /** which shapes this one collides with */
    filter?: Filter;
    /** reports overlaps as contact events, pushes nothing; default: false */
    sensor?: boolean;
    /** lists impacts of this shape in contactsHit(); default: false */
    hitEvents?: boolean;
    /** passes contacts to the contact modifier; default: false */
    modifyContacts?: boolean;
}

/** One shape of a body that has several. */
export interface ShapeDef extends ShapeOptions {
    /** of the shape's frame in the body's frame */
    pose?: Pose;
}

/** The definition of a body. The fields of {@link ShapeOptions} describe its only shape; or `shapes` has several. */
export interface BodyDef extends ShapeOptions {
    /** default: 'dynamic' */
    type?: BodyType;
    /** origin of the body's frame, m; default: the origin of the world */
    position?: Vector;
    /** default: none */
    rotation?: Rotation;
    /** of the centre of mass, m/s; default: zero */
    linearVelocity?: Vector;
    /** rad/s; default: zero */
    angularVelocity?: Vector;
    /** several shapes */
    shapes?: ShapeDef[];
    /** in place of those that follow from the densities */
    massProperties?: MassProperties | null;
    /** 1/s; default: 0 */
    linearDamping?: number;
    /** 1/s; default: 0 */
    angularDamping?: number;
    /** m/s; default: Infinity */
    maxSpeed?: number;
    /** rad/s; default: Infinity */
    maxSpin?: number;
    /** factor of gravity; default: 1 */
    gravityScale?: number;
    /** a sum of `talus.locks`: axes along or about which it does not move; default: 0 */
    locks?: number;
    /** false keeps the body awake; default: true */
    allowSleep?: boolean;
    /** what it must not pass through when it is fast; default: 'fixed' */
    continuous?: Continuous;
    /** yours; default: 0 */
    userData?: UserData;
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

/**
 * The two bodies of a joint, and its frame in each, relative to the body's frame. The frames' x axis is the main axis.
 */
export interface JointFrames {
    bodyA: BodyId;
    bodyB: BodyId;
    frameA?: Pose;
    frameB?: Pose;
}
/** Range of a coordinate, rad or m. Default: no limit, -Infinity to Infinity. */
export interface JointLimit {
    lower?: number;
    upper?: number;
}
/** Drives a coordinate at a speed with a limited force. */
export interface JointMotor {
    /** rad/s or m/s; default: 0 */
    speed?: number;
    /** N m or N; 0: no motor; default: 0 */
    maxForce?: number;
}
/** Pulls a coordinate to a target. */
export interface JointSpring {
    /** undamped frequency, Hz; 0: no spring; default: 0 */
    hertz?: number;
    /** 1 is critical damping; default: 1 */
    dampingRatio?: number;
    /** rad or m; default: 0 */
    target?: number;
    /** N m or N; default: Infinity */
    maxForce?: number;
}
/** Options of every kind of joint. */
export interface JointOptions {
    /** whether the two bodies collide with each other; default: false */
    collideConnected?: boolean;
    /** N; default: Infinity, it does not break */
    breakForce?: number;
    /** N m; default: Infinity, it does not break */
    breakTorque?: number;
    /** yours; default: 0 */
    userData?: UserData;
}
/** Drives frame B relative to frame A in all directions equally. */
export interface JointDrive {
    /** of frame B, in A's axes, m/s */
    velocity?: Vector;
    /** rad/s */
    angularVelocity?: Vector;
    /** pose of frame B in frame A */
    target?: Pose;
    /** of the spring to the target's position, Hz; 0: velocity only; default: 0 */
    linearHertz?: number;
    /** of the spring to the target's rotation, Hz; 0: velocity only; default: 0 */
    angularHertz?: number;
    /** of both springs; default: 1 */
    dampingRatio?: number;
    /** N; 0: no linear drive; default: 0 */
    maxForce?: number;
    /** N m; 0: no angular drive; default: 0 */
    maxTorque?: number;
}
/** A coordinate of a joint. */
export interface JointAxisDef {
    /** its range; a six-dof joint locks axes by default */
    limit?: JointLimit;
    motor?: JointMotor;
    spring?: JointSpring;
}

interface JointBase {
    options?: JointOptions;
}
interface FramedJoint extends JointBase {
    /** bodies and frames; `world.jointFrames()` makes them from a point and an axis */
    frames: JointFrames;
}
/** A ball and socket: keeps the anchors together. */
export interface BallDef extends FramedJoint {
    kind: 'ball';
    /** largest angle between the x axes, rad; default: Infinity */
    cone?: number;
    /** about x, rad */
    twist?: JointLimit;
    /** only its angular part is used */
    drive?: JointDrive;
}
/** Rotates about x. */
export interface HingeDef extends FramedJoint, JointAxisDef {
    kind: 'hinge';
}
/** Moves along A's x. */
export interface SliderDef extends FramedJoint, JointAxisDef {
    kind: 'slider';
}
/** A weld. */
export interface FixedDef extends FramedJoint {
    kind: 'fixed';
    /** Hz; 0: rigid; default: 0 */
    linearHertz?: number;
    /** Hz; 0: rigid; default: 0 */
    angularHertz?: number;
    /** of both; default: 1 */
    dampingRatio?: number;
}
/** A rod, a rope or a coil spring between the anchors. */
export interface DistanceDef extends FramedJoint {
    kind: 'distance';
    /** m, or `talus.asAdded` for both: the distance at the time the joint is added; default: that */
    length?: JointLimit;
    /** a winch */
    motor?: JointMotor;
    /** its target is `restLength` */
    spring?: JointSpring;
    /** m, or `talus.asAdded`; default: that */
    restLength?: number;
}
/** A joint whose six axes are set one by one. All are locked by default. */
export interface SixDofDef extends FramedJoint {
    kind: 'sixDof';
    moveX?: JointAxisDef;
    moveY?: JointAxisDef;
    moveZ?: JointAxisDef;
    /** twist */
    turnX?: JointAxisDef;
    /** swing about y */
    turnY?: JointAxisDef;
    /** swing about z */
    turnZ?: JointAxisDef;
}
/** Connects a wheel (B) to its chassis (A). In frame A, y points up along the suspension, and x is the axle. */
export interface WheelDef extends FramedJoint {
    kind: 'wheel';
    /** of the suspension, along A's y, m */
    travel?: JointLimit;
    /** default: 2 Hz, damping ratio 0.7 */
    suspension?: JointSpring;
    /** about A's y, rad; default: locked */
    steering?: JointLimit;
    /** for wheels that steer */
    steeringServo?: JointSpring;
    /** about the axle */
    motor?: JointMotor;
}
/** Couples the coordinates of two joints, each a hinge or a slider. */
export interface GearDef extends JointBase {
    kind: 'gear';
    jointA: JointId;
    jointB: JointId;
    /** jointB moves by that much when jointA moves by 1; not 0; default: 1 */
    ratio?: number;
}
/** Locks no axis; only drives. */
export interface MotorDef extends FramedJoint {
    kind: 'motor';
    drive?: JointDrive;
}
export type JointDef =
    | BallDef
    | HingeDef
    | SliderDef
    | FixedDef
    | DistanceDef
    | SixDofDef
    | WheelDef
    | GearDef
    | MotorDef;
export type JointKind = JointDef['kind'];
/**
 * An axis of a joint. 'main' is a hinge's angle, a slider's displacement, a distance, a ball joint's twist, and so on.
 */
export type JointAxis = 'moveX' | 'moveY' | 'moveZ' | 'turnX' | 'turnY' | 'turnZ' | 'main';

// ---- Worlds ---------------------------------------------------------------------------------------------------------

/** Settings of a world. */
export interface WorldDef {
    /** m/s^2; default: [0, -9.81, 0] */
    gravity?: Vector;
    /** of the solver, in a step of at most 1/60 s: 1 to 64; default: 4 */
    substeps?: number;
    /** false keeps all bodies awake; default: true */
    allowSleep?: boolean;
    /** m/s; default: 0.05 */
    sleepSpeed?: number;
    /** s; default: 0.5 */
    timeToSleep?: number;
    /** stiffness of contacts, 0.01 to 0.5; default: 0.25 */
    contactRate?: number;
    /** marks the handles of this world, 1 to 1023: it refuses those of other worlds; 0: the next in turn; default: 0 */
    handleTag?: number;
    /** limit of every body's speed, m/s; default: 4000 */
    maxSpeed?: number;
    /** least approach speed of a hit event, m/s; default: 1 */
    hitSpeed?: number;
    /** false: all bodies step as with `continuous: 'off'`; default: true */
    continuous?: boolean;
    /** For profiling and tests, as the next six: lets the coherence ladder skip pairs. Default: true. */
    enableSkip?: boolean;
    enableReuse?: boolean;
    enableClosedForm?: boolean;
    enableAxis?: boolean;
    enableWarmGjk?: boolean;
    enableWarmEpa?: boolean;
    enableJointBatches?: boolean;
    /** what the profile times; default: 'off', which in JavaScript is faster for small worlds: docs/javascript.md */
    timing?: 'off' | 'stages' | 'pairs';
    /** fills `profile().hashes`; default: false */
    hashStages?: boolean;
}

/** The segment from `origin` to origin + translation, m. */
export interface Ray {
    origin: Vector;
    translation: Vector;
}
/** A shape that moves from `pose` by `translation` (m) without rotating. */
export interface ShapeCast {
    shape: Shape;
    pose: Pose;
    translation: Vector;
}
/** Where a ray or a moving shape hits a body. */
export interface CastHit {
    body: BodyId;
    /** index of the shape in its body */
    shape: number;
    /** number of the triangle if the shape is a mesh, else null */
    triangle: number | null;
    /** world, m */
    position: Vec3;
    /** outward, unit */
    normal: Vec3;
    /** part of the translation, 0 to 1 */
    fraction: number;
}
/** A body near a point. */
export interface NearHit {
    body: BodyId;
    /** the shape of it that is nearest */
    shape: number;
    /** its nearest point, world, m */
    position: Vec3;
    /** m; 0 if the point is inside */
    distance: number;
}

/** Two shapes began or stopped touching. */
export interface ContactEvent {
    bodyA: BodyId;
    bodyB: BodyId;
    shapeA: number;
    shapeB: number;
    /** one of the shapes is a sensor */
    sensor: boolean;
    /** N s */
    normalImpulse: number;
}
/** A fast impact. */
export interface HitEvent {
    bodyA: BodyId;
    bodyB: BodyId;
    shapeA: number;
    shapeB: number;
    /** world, m */
    point: Vec3;
    /** unit, from A to B */
    normal: Vec3;
    /** m/s */
    approachSpeed: number;
    /** N s */
    normalImpulse: number;
}
/** A joint that broke, or lost a body. */
export interface JointEvent {
    /** its former handle */
    joint: JointId;
    bodyA: BodyId;
    bodyB: BodyId;
    /** the joint's */
    userData: UserData;
    /** true: it broke; false: a body or joint that it needs was removed */
    overloaded: boolean;
    /** on B in its last step, N */
    force: Vec3;
    /** on B in its last step, N m */
    torque: Vec3;
}
/** A body that moved in the last step. */
export interface MovedBody {
    body: BodyId;
    /** the body's */
    userData: UserData;
    /** of the body's frame, after the step */
    pose: Transform;
    /** it will not be in this list again before something wakes it */
    fellAsleep: boolean;
    /** it was added or placed since the step before: do not interpolate */
    placed: boolean;
}
/** One point of a contact. */
export interface ContactPoint {
    /** world, m */
    position: Vec3;
    /** m; negative if the shapes overlap */
    separation: number;
    /** over the last step, N s */
    normalImpulse: number;
    /** the pair of features that touch here */
    id: number;
    /** that pair did not touch in the step before */
    isNew: boolean;
}
/** A touching pair of shapes. */
export interface Contact {
    bodyA: BodyId;
    bodyB: BodyId;
    shapeA: number;
    shapeB: number;
    /** a triangle that touches if one shape is a mesh, else null */
    triangle: number | null;
    /** unit, from A to B */
    normal: Vec3;
    /** on B, N s */
    frictionImpulse: Vec3;
    /** one to four */
    points: ContactPoint[];
}
/** The narrowphase's record of a pair of shapes. */
export interface PairInfo {
    bodyA: BodyId;
    bodyB: BodyId;
    shapeA: number;
    shapeB: number;
    state: 'untested' | 'separated' | 'touching';
    /** what settled it last */
    rung: Rung;
    /** the last step settled it */
    active: boolean;
    /** of its tests, us, if it was timed */
    microseconds: number;
    /** m */
    separation: number;
    /** if one of the shapes is a mesh, else null */
    triangle: number | null;
}
/** A rung of the coherence ladder. */
export type Rung =
    | 'skip'
    | 'reuse'
    | 'closedForm'
    | 'axisSeparated'
    | 'axisTouching'
    | 'warmGjk'
    | 'coldGjk'
    | 'warmEpa'
    | 'coldEpa';

/**
 * A contact that is about to be solved. `enabled`, `friction`, `restitution` and `points[i].enabled` may be changed.
 */
export interface ContactModification {
    readonly bodyA: BodyId;
    readonly bodyB: BodyId;
    readonly shapeA: number;
    readonly shapeB: number;
    /** of body A */
    readonly userDataA: UserData;
    /** of body B */
    readonly userDataB: UserData;
    /** unit, from A to B, world */
    readonly normal: Vec3;
    /** of B relative to A, m/s */
    readonly velocity: Vec3;
    /** the two touched in the last step */
    readonly touching: boolean;
    readonly points: { /** m */ readonly position: Vec3; /** m */ readonly separation: number; enabled: boolean }[];
    /** false lets the two pass through each other in this step */
    enabled: boolean;
    /** Coulomb coefficient, 0 to 3.4e38 */
    friction: number;
    /** 0 to 1 */
    restitution: number;
}

/** Poses that `world.moved()` returns. The arrays are views of the library's memory, valid until the next call. */
export interface MovedPoses {
    /** number of bodies */
    count: number;
    /** seven numbers per body: the position relative to `origin` (m), then the rotation, x first */
    poses: Float32Array;
    /** the handle of each body */
    bodies: Float64Array;
}

/**
 * What the last step did, and what it cost. Times are in microseconds; without `timing` in the world's settings they
 * are 0. Browsers round them.
 */
export interface Profile {
    /** number of the step */
    frame: number;
    start: number;
    total: number;
    pairs: number;
    collide: number;
    graph: number;
    solve: number;
    continuous: number;
    finish: number;
    publish: number;
    broadphase: number;
    bodies: number;
    awakeBodies: number;
    broadphasePairs: number;
    convexPairs: number;
    touchingPairs: number;
    contactPoints: number;
    renewedContacts: number;
    stiffGroups: number;
    stiffWork: number;
    substeps: number;
    sweptBodies: number;
    impacts: number;
    islands: number;
    colors: number;
    slabs: number;
    /** m */
    maxPenetration: number;
    /** m */
    meanPenetration: number;
    /** J */
    kineticEnergy: number;
    /** pairs that each rung settled, and its time */
    rungs: Record<Rung, { pairs: number; microseconds: number }>;
    gjkQueries: number;
    gjkIterations: number;
    gjkCapHits: number;
    epaQueries: number;
    epaIterations: number;
    epaCapHits: number;
    supportEvaluations: number;
    manifoldsBuilt: number;
    /** queries by their number of iterations */
    gjkHistogram: number[];
    epaHistogram: number[];
    /** what the search for contacts of solids by their features looked at; in C++, `FeatureCounts` says what each counts */
    features: { nodePairs: number; pairs: number; nearby: number; candidates: number; points: number };
    joints: {
        articulations: number;
        joints: number;
        rows: number;
        factorizations: number;
        rounds: number;
        passesAlone: number;
        microseconds: number;
        coupledMicroseconds: number;
        slowestBody: BodyId;
        slowestMicroseconds: number;
    };
    /** the pair whose tests took longest */
    slowest: {
        bodyA: BodyId;
        bodyB: BodyId;
        shapeA: number;
        shapeB: number;
        triangle: number | null;
        rung: Rung;
        microseconds: number;
    };
    span: Record<'total' | StageName, number>;
    /** hexadecimal, with `hashStages` */
    hashes: Record<StageName, string>;
    /** part of `total` that reading the clock took */
    timing: number;
    interruptions: number;
}
export type StageName = 'pairs' | 'collide' | 'graph' | 'solve' | 'continuous' | 'finish' | 'publish';

/** Memory in use, bytes. */
export interface MemoryStats {
    bodies: number;
    shapes: number;
    broadphase: number;
    contacts: number;
    joints: number;
    solver: number;
    hulls: number;
    meshes: number;
    total: number;
}

/** A colour: red, green, blue and alpha, 0 to 255. */
export type Color = [number, number, number, number];

/** Functions of your renderer. Positions are in the world, m. */
export interface DebugDraw {
    line?(from: Vec3, to: Vec3, color: Color): void;
    /** a dot of this diameter */
    point?(at: Vec3, pixels: number, color: Color): void;
    triangle?(a: Vec3, b: Vec3, c: Vec3, color: Color): void;
    text?(at: Vec3, text: string, color: Color): void;
}
/** What to draw. Default: nothing. */
export interface DebugDrawOptions {
    /** edges of shapes */
    outlines?: boolean;
    outlineColor?: 'type' | 'sleep' | 'island';
    /** boxes of bodies */
    boxes?: boolean;
    /** boxes of the broadphase */
    fatBoxes?: boolean;
    /** grids of the broadphase */
    columns?: boolean;
    contactPoints?: boolean;
    contactNormals?: boolean;
    contactImpulses?: boolean;
    featureIds?: boolean;
    manifoldAreas?: boolean;
    centersOfMass?: boolean;
    inertiaAxes?: boolean;
    joints?: boolean;
    velocities?: boolean;
    /** a line per pair that was tested, in the colour of its rung */
    pairRungs?: boolean;
    /** m; default: 0.2 */
    normalLength?: number;
    /** m / (N s); default: 0.01 */
    impulseScale?: number;
    /** s; default: 0.1 */
    velocityScale?: number;
    /** leaves out what is outside, m */
    region?: { lower: Vector; upper: Vector };
}

/**
 * Bodies and joints, and what happens to them.
 *
 * Within `step()` and `draw()`, the functions that they call may not use this world.
 */
declare class World {
    /** Makes an empty world. */
    constructor(def?: WorldDef);

    /** Returns the world that save() has saved. The bytes are checked. `assets`: see save(). */
    static load(bytes: Bytes, assets?: Assets): World;
    /** Returns the later bytes from the earlier ones and the difference that saveChanges() has returned. */
    static applyChanges(since: Bytes, changes: Bytes): Uint8Array;
    /**
     * Returns the whole world as bytes: the loaded world goes on with the same bits, and handles stay valid. Hulls and
     * meshes are part of the bytes, unless `assets` has a name for them.
     */
    save(assets?: Assets): Uint8Array;
    /** Returns the difference between earlier bytes and what save() returns now. */
    saveChanges(since: Bytes, assets?: Assets): Uint8Array;
    /** Returns an independent copy. It has the same contact modifier. */
    clone(): World;
    /** Becomes an independent copy of `from`, in the memory that this world has. */
    assign(from: World): void;
    /** Frees the world now. Every later call of it throws. */
    destroy(): void;

    /** Advances the world by `dt` seconds, 1e-9 to 1, usually 1/60. */
    step(dt: number): void;

    /** Adds a body and returns its handle. */
    addBody(def: BodyDef): BodyId;
    /** Adds all bodies, or none if one is refused. */
    addBodies(defs: BodyDef[]): BodyId[];
    /** Removes a body and its joints. */
    removeBody(body: BodyId): void;
    /** Whether the body exists: false if the handle is null or stale, or the number is no handle. */
    isValidBody(body: BodyId): boolean;

    // The state of a body. `to`, if given, is filled and returned: that saves an allocation. An object gets the numbers
    // as x, y, z (and w), so `world.position(body, mesh.position)` sets a vector of three.js.

    /** origin of the body's frame, m */
    position(body: BodyId): Vec3;
    position<T extends WritableVector>(body: BodyId, to: T): T;
    /** of the body's frame */
    rotation(body: BodyId): Quat;
    rotation<T extends WritableRotation>(body: BodyId, to: T): T;
    /** position and rotation */
    transform(body: BodyId): Transform;
    /** world, m */
    centerOfMass(body: BodyId): Vec3;
    centerOfMass<T extends WritableVector>(body: BodyId, to: T): T;
    /** of the centre of mass, m/s */
    linearVelocity(body: BodyId): Vec3;
    linearVelocity<T extends WritableVector>(body: BodyId, to: T): T;
    /** rad/s */
    angularVelocity(body: BodyId): Vec3;
    angularVelocity<T extends WritableVector>(body: BodyId, to: T): T;
    /** of the forces for the next step, N */
    force(body: BodyId): Vec3;
    force<T extends WritableVector>(body: BodyId, to: T): T;
    /** of the torques for the next step, N m */
    torque(body: BodyId): Vec3;
    torque<T extends WritableVector>(body: BodyId, to: T): T;
    /** kg; 0 if it is not dynamic */
    mass(body: BodyId): number;
    /** about the centre of mass, world axes, nine numbers, kg m^2 */
    inertia(body: BodyId): number[];
    type(body: BodyId): BodyType;
    /** false for sleeping and fixed bodies */
    isAwake(body: BodyId): boolean;
    userData(body: BodyId): UserData;
    /** box around the body, world, m */
    bounds(body: BodyId): Aabb;
    gravityScale(body: BodyId): number;
    /** a sum of `talus.locks` */
    locks(body: BodyId): number;
    /** 1/s */
    linearDamping(body: BodyId): number;
    /** 1/s */
    angularDamping(body: BodyId): number;
    /** m/s */
    maxSpeed(body: BodyId): number;
    /** rad/s */
    maxSpin(body: BodyId): number;
    /** number of shapes */
    shapeCount(body: BodyId): number;
    /** Returns a definition that adds an equal body. All its shapes are in `shapes`. */
    describeBody(body: BodyId): BodyDef;

    /**
     * Poses of bodies, seven numbers each: the position relative to `origin` (m), then the rotation. A view of the
     * library's memory, valid until the next call.
     */
    poses(bodies: BodyIds, origin?: Vector): Float32Array;
    /** Velocities of bodies, six numbers each: m/s, then rad/s. A view, as for poses(). */
    velocities(bodies: BodyIds): Float32Array;

    /** Moves a body at once, m, through whatever is between. */
    setTransform(body: BodyId, position: Vector, rotation: Rotation): void;
    /** m/s */
    setLinearVelocity(body: BodyId, velocity: Vector): void;
    /** rad/s */
    setAngularVelocity(body: BodyId, velocity: Vector): void;
    /** -1e6 to 1e6 */
    setGravityScale(body: BodyId, scale: number): void;
    /** a sum of `talus.locks` */
    setLocks(body: BodyId, locks: number): void;
    /** 1/s, >= 0 */
    setDamping(body: BodyId, linear: number, angular: number): void;
    /** Sets the pose (m) that a kinematic body has after the next step. */
    setKinematicTarget(body: BodyId, position: Vector, rotation: Rotation): void;
    /** m/s and rad/s, > 0; Infinity: no limit */
    setSpeedLimits(body: BodyId, maxSpeed: number, maxSpin: number): void;
    setContinuous(body: BodyId, continuous: Continuous): void;
    /** Replaces all shapes, or none if one is refused. */
    setShapes(body: BodyId, shapes: ShapeDef[]): void;
    /** Replaces the geometry of one shape; `shape` is its index. */
    setShape(body: BodyId, shape: number, geometry: Shape): void;
    /** Replaces the material of one shape; fields that are left out get their defaults. */
    setMaterial(body: BodyId, shape: number, material: Material): void;
    /** Replaces the filter of one shape; fields that are left out get their defaults. */
    setFilter(body: BodyId, shape: number, filter: Filter): void;
    setType(body: BodyId, type: BodyType): void;
    /** kg, > 0, of a dynamic body */
    setMass(body: BodyId, mass: number): void;
    /** of a dynamic body */
    setMassProperties(body: BodyId, properties: MassProperties): void;
    setUserData(body: BodyId, userData: UserData): void;
    /** Wakes a dynamic body or puts it to sleep. */
    setAwake(body: BodyId, awake: boolean): void;
    /** For the next step, at the centre of mass, N. */
    applyForce(body: BodyId, force: Vector): void;
    /** For the next step, at a point of the world (m), N. */
    applyForceAt(body: BodyId, force: Vector, point: Vector): void;
    /** For the next step, N m. */
    applyTorque(body: BodyId, torque: Vector): void;
    /** At once, at the centre of mass, N s. */
    applyImpulse(body: BodyId, impulse: Vector): void;
    /** At once, at a point of the world (m), N s. */
    applyImpulseAt(body: BodyId, impulse: Vector, point: Vector): void;
    /** At once, N m s. */
    applyAngularImpulse(body: BodyId, impulse: Vector): void;

    /** m/s^2 */
    gravity(): Vec3;
    /** m/s^2 */
    setGravity(gravity: Vector): void;
    /** The present settings. */
    settings(): Required<WorldDef>;
    /** Changes settings. Fields that are left out stay as they are. */
    setSettings(settings: WorldDef): void;
    /** false wakes all bodies and keeps them awake */
    setAllowSleep(allow: boolean): void;
    /** m/s */
    setHitSpeed(speed: number): void;
    /**
     * Sets the function that may change contacts of shapes with `modifyContacts` before they are solved; null: none. An
     * exception that it throws comes out of step(), after the step is complete. If it sets a friction or restitution
     * that is out of range, step() throws an error in the same way.
     */
    setContactModifier(modifier: ((contact: ContactModification) => void) | null): void;

    /** Adds a joint and returns its handle. */
    addJoint(def: JointDef): JointId;
    removeJoint(joint: JointId): void;
    /** Whether the joint exists: false if the handle is null or stale, or the number is no handle. */
    isValidJoint(joint: JointId): boolean;
    /**
     * Makes the frames of a joint from a point (m) and an axis in the world. `axis`: the frames' x axis; default: x.
     */
    jointFrames(bodyA: BodyId, bodyB: BodyId, anchor: Vector, axis?: Vector): Required<JointFrames>;
    /** Returns a definition that adds an equal joint. */
    describeJoint(joint: JointId): JointDef;
    kind(joint: JointId): JointKind;
    frames(joint: JointId): Required<JointFrames>;
    bodyA(joint: JointId): BodyId;
    bodyB(joint: JointId): BodyId;
    jointUserData(joint: JointId): UserData;
    /** of B relative to A, m or rad */
    jointCoordinate(joint: JointId, axis?: JointAxis): number;
    /** m/s or rad/s */
    jointSpeed(joint: JointId, axis?: JointAxis): number;
    /** on B, mean over the last step, N */
    jointForce(joint: JointId): Vec3;
    /** on B, mean over the last step, N m */
    jointTorque(joint: JointId): Vec3;
    /** of the motor alone, N or N m */
    jointMotorForce(joint: JointId, axis?: JointAxis): number;
    /** of the spring, N/m or N m/rad */
    jointStiffness(joint: JointId, axis?: JointAxis): number;
    jointLimit(joint: JointId, axis?: JointAxis): Required<JointLimit>;
    jointMotor(joint: JointId, axis?: JointAxis): Required<JointMotor>;
    jointSpring(joint: JointId, axis?: JointAxis): Required<JointSpring>;
    /** rad */
    jointCone(joint: JointId): number;
    jointDrive(joint: JointId): Required<JointDrive>;
    setJointLimit(joint: JointId, limit: JointLimit, axis?: JointAxis): void;
    setJointMotor(joint: JointId, motor: JointMotor, axis?: JointAxis): void;
    setJointSpring(joint: JointId, spring: JointSpring, axis?: JointAxis): void;
    /** rad */
    setJointCone(joint: JointId, cone: number): void;
    setJointDrive(joint: JointId, drive: JointDrive): void;
    /** N and N m; Infinity: it does not break */
    setJointBreak(joint: JointId, force: number, torque: number): void;
    setJointCollideConnected(joint: JointId, collide: boolean): void;
    /** joints of a body */
    jointsOf(body: BodyId): JointId[];
    /** all joints */
    joints(): JointId[];
    jointCount(): number;

    // Queries. They skip sensors, and shapes that do not collide with `filter`.

    /** The first hit of a ray, or null. */
    rayCast(origin: Vector, translation: Vector, filter?: Filter): CastHit | null;
    /** Whether a ray hits anything. */
    rayCastAny(origin: Vector, translation: Vector, filter?: Filter): boolean;
    /** All hits of a ray, the nearest first. */
    rayCastAll(origin: Vector, translation: Vector, filter?: Filter): CastHit[];
    /** The first hit of each ray, or null. */
    rayCasts(rays: Ray[], filter?: Filter): (CastHit | null)[];
    /** The first hit of a moving shape, or null. */
    shapeCast(shape: Shape, pose: Pose, translation: Vector, filter?: Filter): CastHit | null;
    /** Whether a moving shape hits anything. */
    shapeCastAny(shape: Shape, pose: Pose, translation: Vector, filter?: Filter): boolean;
    /** All hits of a moving shape, the nearest first. */
    shapeCastAll(shape: Shape, pose: Pose, translation: Vector, filter?: Filter): CastHit[];
    /** The first hit of each moving shape, or null. */
    shapeCasts(casts: ShapeCast[], filter?: Filter): (CastHit | null)[];
    /** Bodies that overlap a shape. */
    overlapShape(shape: Shape, pose: Pose, filter?: Filter): BodyId[];
    /** Bodies that overlap a box along the axes of the world, m. */
    overlapBox(box: { lower: Vector; upper: Vector }, filter?: Filter): BodyId[];
    /** Bodies that contain a point, m. */
    overlapPoint(point: Vector, filter?: Filter): BodyId[];
    overlapAnyShape(shape: Shape, pose: Pose, filter?: Filter): boolean;
    overlapAnyBox(box: { lower: Vector; upper: Vector }, filter?: Filter): boolean;
    overlapAnyPoint(point: Vector, filter?: Filter): boolean;
    /** Up to `count` bodies nearest to a point, none farther than `maxDistance`, m. */
    nearest(point: Vector, count: number, maxDistance: number, filter?: Filter): NearHit[];

    // Results of the last step.

    contactsBegun(): ContactEvent[];
    contactsEnded(): ContactEvent[];
    /** Impacts faster than `hitSpeed` of shapes with `hitEvents`. */
    contactsHit(): HitEvent[];
    jointsBroken(): JointEvent[];
    movedBodies(): MovedBody[];
    /** The same for renderers, as two arrays in the library's memory. `origin`: m; default: the world's. */
    moved(origin?: Vector): MovedPoses;
    /** All touching contacts, without sensors. */
    contacts(): Contact[];
    /** Touching contacts of a body. */
    contactsOf(body: BodyId): Contact[];
    /** All pairs of shapes that the narrowphase keeps. */
    pairs(): PairInfo[];
    /** Two bodies are in one island if their numbers are equal; null: in none. */
    island(body: BodyId): number | null;
    bodies(): BodyId[];
    bodyCount(): number;
    awakeBodyCount(): number;
    /** Hash of all poses and velocities, 16 hexadecimal digits: the same on every platform. */
    hash(): string;
    profile(): Profile;
    memory(): MemoryStats;
    /** Passes lines, points, triangles and text to `functions`. */
    draw(functions: DebugDraw, options?: DebugDrawOptions): void;
}

/** Names for hulls and meshes, so that saved worlds need not contain them. */
declare class Assets {
    constructor();
    /** Adds a hull or mesh. The name must be new and not empty. */
    add(name: string, asset: Hull | Mesh): void;
    /** Frees the table now. */
    release(): void;
}

/** Turns frames of any length into steps of a fixed length. */
declare class FixedStep {
    /**
     * `dt`: s, > 0; default: 1/60. `maxSteps`: the most steps of a frame, >= 1; default: 8; the time beyond them is
     * dropped.
     */
    constructor(dt?: number, maxSteps?: number);
    /** Adds a frame of `seconds` and returns how many steps are due. A negative number counts as 0. */
    advance(seconds: number): number;
    /** length of a step, s */
    dt(): number;
    /** weight of the newest pose between the last two, 0 to 1 */
    alpha(): number;
    /** time that was dropped so far, s */
    droppedSeconds(): number;
    /** Frees the clock now. */
    release(): void;
}

/** One loaded library. Worlds, hulls and meshes of one cannot be used with another. */
export interface Talus {
    /** of the engine, such as "0.2.0" */
    readonly version: string;
    /** how many threads steps run on: those that load() was asked for, or 1 */
    readonly threads: number;
    /** Returns how many parts of steps workers have done since load(). 0 all the time: they do not help. */
    tasksOfWorkers(): number;
    readonly TalusError: typeof TalusError;
    readonly World: typeof World;
    readonly Assets: typeof Assets;
    readonly FixedStep: typeof FixedStep;
    /** For `instanceof` only; makeHull() makes one. */
    readonly Hull: abstract new () => Hull;
    /** For `instanceof` only; superellipsoid() and convexSum() make one. */
    readonly Mapping: abstract new () => Mapping;
    /** For `instanceof` only; makeMesh() and makeHeightField() make one. */
    readonly Mesh: abstract new () => Mesh;
    /** Axes of the world along which a body does not move, or about which it does not turn; add them up. */
    readonly locks: Readonly<
        Record<'x' | 'y' | 'z' | 'turnX' | 'turnY' | 'turnZ' | 'turning' | 'toPlaneXy', number>
    >;
    /** For distance joints: the distance at the time the joint is added. */
    readonly asAdded: number;
    /**
     * Returns the slot of a handle, a small number that no other body (or joint) of the world has as long as this one
     * exists: an index for arrays. Bodies and joints are counted apart. -1 for null, and for a number that is no handle.
     */
    slotOf(handle: BodyId | JointId): number;

    /** Centred at the origin; radius in m. */
    sphere(radius: number): Shape;
    /** Axis y; `halfHeight` without the caps; m. */
    capsule(halfHeight: number, radius: number): Shape;
    /** Centred at the origin; half extents along x, y and z, m. */
    box(x: number, y: number, z: number): Shape;
    /** Axis y, m. */
    cylinder(halfHeight: number, radius: number): Shape;
    /** Apex at y = +halfHeight, m. */
    cone(halfHeight: number, radius: number): Shape;
    /** Centred at the origin; radii along x, y and z, m. */
    ellipsoid(x: number, y: number, z: number): Shape;
    /**
     * The superellipsoid ((|px/x|^r + |pz/z|^r)^(t/r) + |py/y|^t) <= 1; radii x, y and z, m; `around` is r and `along` is
     * t, 1 to 16. 2 and 2 is an ellipsoid; large exponents come near to a box. Its mass is integrated, which takes
     * milliseconds: make one shape for many bodies.
     */
    superellipsoid(x: number, y: number, z: number, around: number, along: number): Shape;
    /**
     * The Minkowski sum of two shapes: all sums of a point of `a` and a point of `b`. They may be flat, but the sum must
     * enclose volume. Sums may be nested up to 4 deep. Takes milliseconds.
     */
    convexSum(a: Shape, b: Shape): Shape;
    /**
     * A box, hull, segment or triangle with so much more radius (m): its edges and corners are rounded by it, its faces
     * move outward by it. Other shapes come back as they are.
     */
    rounded(shape: Shape, radius: number): Shape;
    /** From a to b, m; needs a radius on dynamic bodies. */
    segment(a: Vector, b: Vector, radius?: number): Shape;
    /** Two-sided, m; needs a radius on dynamic bodies. */
    triangle(a: Vector, b: Vector, c: Vector, radius?: number): Shape;
    /** In the frame of the hull's points. */
    hull(hull: Hull): Shape;
    /** Returns the convex hull of points, m: x, y and z of each, or a list of vectors. */
    makeHull(points: Numbers | readonly Vector[]): Hull;
    makeMesh(def: MeshDef): Mesh;
    makeHeightField(def: HeightFieldDef): Mesh;
    /** Mass, centre of mass and inertia of the solid inside a closed mesh of a density (kg/m^3). */
    meshMassProperties(def: MeshDef, density: number): MassProperties;

    /** Throws if the shape's numbers are not allowed. The functions above have checked theirs. */
    check(shape: Shape): void;
    /** box in the shape's frame, m */
    bounds(shape: Shape): Aabb;
    /** of the sphere around its origin, m */
    boundingRadius(shape: Shape): number;
    /** six volumes over the surface area, m */
    thickness(shape: Shape): number;
    /** whether it encloses volume */
    isSolid(shape: Shape): boolean;
    /** of a density, kg/m^3 */
    massProperties(shape: Shape, density: number): MassProperties;
    /** The signed distance of two shapes; `pose`: of B in A's frame. */
    separation(a: Shape, b: Shape, pose: Pose): Separation;
    /** Where the segment from `origin` to origin + translation enters the shape, in its frame (m), or null. */
    rayCast(shape: Shape, origin: Vector, translation: Vector): ShapeHit | null;
    /**
     * Where B, which moves from `pose` by `translation` (m) without rotating, first touches A, in A's frame; or null.
     */
    shapeCast(a: Shape, b: Shape, pose: Pose, translation: Vector): ShapeHit | null;
}

export interface LoadOptions {
    /**
     * How many threads steps run on, this one included, 1 to 1024; default: 1. The others are workers, which load() starts.
     * Any number gives the same bits. Without SIMD, or where threads cannot share memory, there is one thread, as
     * `Talus.threads` then says: a page needs two headers for it (docs/javascript.md).
     */
    threads?: number;
    /**
     * Loads the module with or without SIMD instructions; both give the same bits. Default: with, if they are
     * supported.
     */
    simd?: boolean;
    /** Where worker.mjs is, if a bundler has put it elsewhere than beside the other scripts. It imports some of these. */
    worker?: string | URL;
    /**
     * Where talus.wasm is: an address, its bytes, a response, or a compiled module. An address may be relative to the
     * page, or in Node to this file. Default: beside this file.
     */
    wasm?:
        | string
        | URL
        | Response
        | ArrayBuffer
        | ArrayBufferView
        | WebAssembly.Module
        | Promise<string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module>;
}

/** Loads the library. Call it once: each call loads another one, with memory of its own. */
export declare function load(options?: LoadOptions): Promise<Talus>;

// Values of these classes come from load() only: they are properties of what it returns.
export type { Assets, FixedStep, World };

/**
 * Two kernels for tfjs-webgpu, registered as its documentation says and run on its own device: the softmax statistics
 * of a block of logits, and the gradient by these logits. The one module that knows how tfjs-webgpu runs a program.
 *
 *   RlvrScoreLogits      logits [R, V], targets [R, 1] → [R, 3]: log-prob, entropy, log-sum-exp of logits/T
 *   RlvrLogitGradients   and of these and dScores [R, 2] → [R, V]:
 *                        (dLogprob·(1[v = target] − p) − dEntropy·p·(log p + entropy))/T
 *
 * One workgroup per row reads its logits twice for the statistics and once for the gradient, where composed ops make
 * about ten passes with as many copies.
 */
import * as tf from '@tensorflow/tfjs';

const SCORE = 'RlvrScoreLogits';
const GRADIENTS = 'RlvrLogitGradients';
const BACKEND = 'webgpu';
const THREADS = 64;

/** What tfjs-webgpu wants to know of a kernel: its interface WebGPUProgram, as far as it is used here. */
interface Program {
  readonly variableNames: string[];
  readonly outputShape: number[];
  readonly shaderKey: string;
  readonly uniforms: string;
  readonly workgroupSize: [number, number, number];
  readonly dispatchLayout: { x: number[] };
  dispatch: [number, number, number];
  getUserCode(): string;
}

/** The one method of tfjs-webgpu's backend that runs a program. */
interface ProgramRunner {
  runWebGPUProgram(
    program: Program,
    inputs: tf.TensorInfo[],
    dtype: tf.DataType,
    uniforms: { type: 'float32'; data: number[] }[],
  ): tf.TensorInfo;
}

/** Most workgroups along one dimension of a dispatch. */
const MOST_ROWS = 65535;

/** Whether the current tfjs backend has the kernels; registers them the first time. */
export function hasLogitKernels(): boolean {
  if (tf.getBackend() !== BACKEND) return false;
  if (tf.getKernel(SCORE, BACKEND) === undefined) register();
  return true;
}

/** [R, 3]: log-prob of the targets, entropy, log-sum-exp of logits/temperature. */
export function scoreLogitsFused(logits: tf.Tensor, targets: tf.Tensor1D, temperature: number): tf.Tensor {
  const inputs = { logits, targets: tf.expandDims(targets, 1) };
  return tf.engine().runKernel(SCORE, inputs as tf.NamedTensorMap, { temperature }) as tf.Tensor;
}

/** [R, V]: gradient of log-probs and entropies by the logits, from `scoreLogitsFused` of the same logits. */
export function logitGradients(
  logits: tf.Tensor,
  targets: tf.Tensor1D,
  scores: tf.Tensor,
  dScores: tf.Tensor,
  temperature: number,
): tf.Tensor {
  const inputs = { logits, targets: tf.expandDims(targets, 1), scores, dScores };
  return tf.engine().runKernel(GRADIENTS, inputs as tf.NamedTensorMap, { temperature }) as tf.Tensor;
}

function register(): void {
  const kernel = (kernelName: string, names: string[], columns: (v: number) => number, code: string): void => {
    const kernelFunc: tf.KernelFunc = ({ inputs, attrs, backend }) => {
      const tensors = names.map((name) => inputs[name] as tf.TensorInfo);
      const [rows, vocabulary] = tensors[0].shape;
      if (rows > MOST_ROWS) throw new Error(`${kernelName}: ${rows} rows, more than ${MOST_ROWS} at once.`);
      const program: Program = {
        variableNames: names,
        outputShape: [rows, columns(vocabulary)],
        shaderKey: kernelName,
        uniforms: 'inverseTemperature : f32,',
        workgroupSize: [THREADS, 1, 1],
        dispatchLayout: { x: [0, 1] },
        dispatch: [rows, 1, 1],
        getUserCode: () => code,
      };
      const uniforms = [{ type: 'float32' as const, data: [1 / Number(attrs?.temperature)] }];
      return (backend as unknown as ProgramRunner).runWebGPUProgram(program, tensors, 'float32', uniforms);
    };
    tf.registerKernel({ kernelName, backendName: BACKEND, kernelFunc });
  };
  kernel(SCORE, ['logits', 'targets'], () => 3, SCORE_CODE);
  kernel(GRADIENTS, ['logits', 'targets', 'scores', 'dScores'], (v) => v, GRADIENT_CODE);
}

/** Largest logit, then Σ e^(u − max) and Σ e^(u − max)·(u − max): threads take every 64th column, then a tree. */
const SCORE_CODE = `
  var<workgroup> first : array<f32, ${THREADS}>;
  var<workgroup> second : array<f32, ${THREADS}>;
  fn main(index : i32) {
    let row = index / ${THREADS};
    let thread = i32(localId.x);
    let columns = uniforms.logitsShape[1];
    var most = -3.402823e+38f;
    for (var v = thread; v < columns; v += ${THREADS}) {
      most = max(most, getLogits(row, v) * uniforms.inverseTemperature);
    }
    first[thread] = most;
    workgroupBarrier();
    for (var half = ${THREADS / 2}; half > 0; half = half >> 1) {
      if (thread < half) { first[thread] = max(first[thread], first[thread + half]); }
      workgroupBarrier();
    }
    most = first[0];
    workgroupBarrier();
    var mass = 0.0;
    var weighted = 0.0;
    for (var v = thread; v < columns; v += ${THREADS}) {
      let x = getLogits(row, v) * uniforms.inverseTemperature - most;
      let e = exp(x);
      mass += e;
      weighted += e * x;
    }
    first[thread] = mass;
    second[thread] = weighted;
    workgroupBarrier();
    for (var half = ${THREADS / 2}; half > 0; half = half >> 1) {
      if (thread < half) {
        first[thread] += first[thread + half];
        second[thread] += second[thread + half];
      }
      workgroupBarrier();
    }
    if (thread == 0) {
      let logMass = log(first[0]);
      let own = getLogits(row, i32(getTargets(row, 0))) * uniforms.inverseTemperature - most;
      setOutputAtIndex(row * 3, own - logMass);
      setOutputAtIndex(row * 3 + 1, logMass - second[0] / first[0]);
      setOutputAtIndex(row * 3 + 2, most + logMass);
    }
  }
`;

const GRADIENT_CODE = `
  fn main(index : i32) {
    let row = index / ${THREADS};
    let columns = uniforms.logitsShape[1];
    let own = i32(getTargets(row, 0));
    let entropy = getScores(row, 1);
    let total = getScores(row, 2);
    let dLogprob = getDScores(row, 0);
    let dEntropy = getDScores(row, 1);
    for (var v = i32(localId.x); v < columns; v += ${THREADS}) {
      let logP = getLogits(row, v) * uniforms.inverseTemperature - total;
      let p = exp(logP);
      let hit = select(0.0, 1.0, v == own);
      let du = dLogprob * (hit - p) - dEntropy * p * (logP + entropy);
      setOutputAtIndex(row * columns + v, du * uniforms.inverseTemperature);
    }
  }
`;

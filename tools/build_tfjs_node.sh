#!/usr/bin/env bash
# Builds the native binding of @tensorflow/tfjs-node-gpu (or tfjs-node) against the TensorFlow of a Python wheel: the
# packages' own download is TensorFlow 2.9.1 for CUDA 11.2. No libtensorflow download, no node-gyp, no network.
#
#   pip install 'tensorflow[and-cuda]'                      (or tensorflow-cpu)
#   npm install --ignore-scripts @tensorflow/tfjs-node-gpu@4.22.0      (or tfjs-node)
#   build_tfjs_node.sh [--python PYTHON] [--project DIR] [--package NAME] [--no-test]
#
#   --python   interpreter whose environment has the wheel (found, not imported); default python3
#   --project  folder from which Node resolves the npm package; default: the current one
#   --package  default: the first of @tensorflow/tfjs-node-gpu and @tensorflow/tfjs-node that resolves
# Environment: NODE, CXX, CXXFLAGS; NODE_INCLUDE, the folder of node_api.h.
set -euo pipefail

die() { echo "build_tfjs_node: $*" >&2; exit 1; }

python=python3 project=. packages='@tensorflow/tfjs-node-gpu @tensorflow/tfjs-node' test=1
while [ $# -gt 0 ]; do
  case $1 in
    --python)  python=${2:?}; shift 2 ;;
    --project) project=${2:?}; shift 2 ;;
    --package) packages=${2:?}; shift 2 ;;
    --no-test) test=0; shift ;;
    -h|--help) sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "$1: no such argument; --help lists them" ;;
  esac
done
node=${NODE:-node} cxx=${CXX:-g++}
command -v "$node" >/dev/null || die "no node; install Node 20 or later"
command -v "$cxx" >/dev/null || die "no C++ compiler ($cxx); install g++, or set CXX"
command -v "$python" >/dev/null || die "no $python; give --python an interpreter that has tensorflow"
project=$(cd "$project" && pwd)

# The npm package, and where it will look for its binding.
resolve() {
  (cd "$project" && "$node" -e '
    try { console.log(require("path").dirname(
      require.resolve(process.argv[1] + "/package.json", { paths: [process.cwd()] }))); }
    catch { process.exit(1); }' "$1")
}
found=
for package in $packages; do
  if found=$(resolve "$package"); then break; fi
done
[ -n "$found" ] || die "none of $packages in $project; npm install --ignore-scripts one of them, version 4.22.0"
[ -f "$found/binding/tfjs_backend.cc" ] || die "$found has no binding sources; install it again"
out=$(cd "$found" && "$node" -e '
  console.log(require(require.resolve("@mapbox/node-pre-gyp", { paths: [process.cwd()] }))
    .find(process.cwd() + "/package.json"))')
napi=$(printf %s "$out" | sed -n 's#.*/napi-v\([0-9][0-9]*\)/.*#\1#p')
[ -n "$napi" ] || die "$package looks for its binding in $out, which names no napi version"

# Headers of Node's C interface: beside node, or from the npm package node-api-headers.
include=${NODE_INCLUDE:-$(cd "$project" && "$node" -e '
  const fs = require("fs"), path = require("path");
  const folders = [process.execPath, fs.realpathSync(process.execPath)].map((at) => path.resolve(at, "../../include/node"));
  for (const at of [process.env.npm_config_nodedir, process.config.variables.node_prefix])
    if (at) folders.push(path.join(at, "include/node"));
  try { folders.push(require(require.resolve("node-api-headers", { paths: [process.cwd()] })).include_dir); } catch {}
  console.log(folders.find((at) => fs.existsSync(path.join(at, "node_api.h"))) || "");')}
[ -n "$include" ] && [ -f "$include/node_api.h" ] ||
  die "no node_api.h beside node; npm install node-api-headers, or set NODE_INCLUDE"

tensorflow=$("$python" -c '
import importlib.util
spec = importlib.util.find_spec("tensorflow")
print(list(spec.submodule_search_locations)[0] if spec and spec.submodule_search_locations else "")')
[ -n "$tensorflow" ] || die "$python has no tensorflow; pip install 'tensorflow[and-cuda]', or tensorflow-cpu"
for file in include/tensorflow/c/c_api.h include/tensorflow/c/eager/c_api.h \
            libtensorflow_cc.so.2 libtensorflow_framework.so.2; do
  [ -e "$tensorflow/$file" ] || die "$tensorflow has no $file; is it a wheel for Linux?"
done

mkdir -p "$(dirname "$out")"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for source in tfjs_backend tfjs_binding; do
  # shellcheck disable=SC2086
  "$cxx" -std=c++17 -O2 -fPIC ${CXXFLAGS:-} -DNAPI_VERSION="$napi" \
    -I"$include" -I"$tensorflow/include" -c "$found/binding/$source.cc" -o "$work/$source.o"
done
"$cxx" -shared -o "$work/tfjs_binding.node" "$work"/*.o -L"$tensorflow" \
  -l:libtensorflow_cc.so.2 -l:libtensorflow_framework.so.2 -Wl,-rpath,"$tensorflow" -Wl,-z,noexecstack
# Node itself has napi_*; every TF_* must come from the wheel. One that TensorFlow has dropped shows here.
if command -v nm >/dev/null; then
  c_interface() { nm -D "$@" | awk '{sub(/@.*/, "", $NF)} $NF ~ /^TFE?_/ {print $NF}' | sort -u; }
  c_interface --undefined-only "$work/tfjs_binding.node" > "$work/needed"
  c_interface --defined-only "$tensorflow/libtensorflow_cc.so.2" "$tensorflow/libtensorflow_framework.so.2" > "$work/had"
  missing=$(comm -23 "$work/needed" "$work/had" | tr '\n' ' ')
  [ -z "$missing" ] || die "this TensorFlow has no $missing"
fi
mv -f "$work/tfjs_binding.node" "$out"
echo "built $out (napi $napi) against $tensorflow"

cuda=$(find "$tensorflow/../nvidia" -maxdepth 2 -name lib -type d 2>/dev/null | sort | paste -sd: - || true)
[ -z "$cuda" ] || echo "if TensorFlow cannot open CUDA's libraries: export LD_LIBRARY_PATH=$cuda"

[ "$test" = 1 ] || exit 0
cd "$project"
TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL:-2} TF_FORCE_GPU_ALLOW_GROWTH=true "$node" -e '
const util = require("util");
util.isNullOrUndefined ??= (value) => value == null; // tfjs-node calls what Node 23 has removed
util.isArray ??= Array.isArray;
const assert = require("assert");
const name = process.argv[1];
const tf = require(require.resolve(name, { paths: [process.cwd()] }));
const backend = tf.backend();
assert.strictEqual(tf.getBackend(), "tensorflow", "the backend that tfjs chose");
assert.deepStrictEqual([...tf.matMul([[1, 2], [3, 4]], [[5, 6], [7, 8]]).dataSync()], [19, 22, 43, 50], "a matmul");
const w = tf.variable(tf.scalar(3));
assert.strictEqual(Object.values(tf.variableGrads(() => w.square()).grads)[0].dataSync()[0], 6, "a gradient");
const gpu = backend.isUsingGpuDevice;
console.log(`ok: Node ${process.version}, ${name} ${tf.version["tfjs-node"]}, TensorFlow ${backend.binding.TF_Version}, ` +
  `device ${backend.binding.getDeviceName?.() ?? (gpu ? "GPU:0" : "CPU:0")}, GPU ${gpu}`);
if (name.endsWith("-gpu") && !gpu) {
  console.error("build_tfjs_node: no GPU in use. Check nvidia-smi and that pip installed tensorflow[and-cuda]; " +
    "TF_CPP_MIN_LOG_LEVEL=0 shows which libraries TensorFlow cannot open.");
  process.exit(1);
}
' "$package"

// A transform of the AssemblyScript compiler: addresses of 64 bits (`usize` and `isize`), which its interface can set and its
// command line cannot.
const WASM64 = 2; // of the compiler's enum Target

export default class LongAddresses {
  afterParse() {
    const { options, module } = this.program;
    options.target = WASM64;
    module.sizeType = options.sizeTypeRef; // made before this, for the target of then
  }
}

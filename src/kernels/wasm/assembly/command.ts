// The command list: what the host records and every thread walks. Read by both languages.
//
// A command is 32 words: kernel, mask, then up to 30 arguments. A word is as long as an address, 4 bytes or 8; what is no address
// takes the first 4. Where bit i of the mask is set, argument i is the address of the value (a count or setting that changes
// from replay to replay).

export const COMMAND_WORDS = 32;
export const COMMAND_ARGUMENTS = 30;

/** A request that is not answered, in OpenAI's form. */
export class ApiError extends Error {
  readonly status: number;
  readonly param: string | null;
  readonly code: string;

  /** @param message  what was wrong, the value seen, and what to do */
  constructor(status: number, code: string, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }

  toJSON(): { error: { message: string; type: string; param: string | null; code: string } } {
    const type = this.status < 500 ? 'invalid_request_error' : 'server_error';
    return { error: { message: this.message, type, param: this.param, code: this.code } };
  }
}

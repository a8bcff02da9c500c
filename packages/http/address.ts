/**
 * The address of a server as people have it in their environment: often with a secret in it, which must be neither printed
 * nor written to a file. `fetch` refuses such an address, and quotes it in full.
 */

export interface ServerAddress {
  /** `http://127.0.0.1:5000`, or below a path: no user, password, query or slash at the end. */
  readonly uri: string;
  /** Value of the Authorization header: of `user:password@`, else of `?token=`. */
  readonly authorization?: string;
  readonly query: URLSearchParams;
}

/** Undefined where the text is no address of a server. */
export function serverAddress(given: string): ServerAddress | undefined {
  if (!/^https?:\/\/[^/\s]+/.test(given) || !URL.canParse(given)) return undefined;
  const { origin, pathname, username, password, searchParams: query } = new URL(given);
  const uri = origin + pathname.replace(/\/+$/, '');
  const token = query.get('token');
  if (username === '' && password === '') return { uri, query, ...(token && { authorization: `Bearer ${token}` }) };
  return { uri, query, authorization: basic(decoded(username), decoded(password)) };
}

/** The value of an Authorization header. @see RFC 7617, with UTF-8 */
export function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCodePoint(...bytes))}`;
}

/** What was given for an address, as it may be printed. */
export function withoutSecrets(given: string): string {
  return given.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*$/s, '');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a password with a bare "%"
  }
}

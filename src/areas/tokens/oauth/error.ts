/** An error as RFC 6749 and RFC 7591 name it. */
export class OAuthError extends Error {
  readonly code: string

  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

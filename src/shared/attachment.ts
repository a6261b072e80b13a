/** A file to save under its own name: one that every header can hold, and the real one. */
export function attachment(name: string | Buffer): string {
  const bytes = Buffer.from(name)
  const plain = bytes.toString('latin1').replaceAll(/[^\w.-]/g, '_')
  const encoded = [...bytes].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : hex(byte))).join('')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

const isPlain = (byte: number): boolean => /[\w.-]/.test(String.fromCharCode(byte))

const hex = (byte: number): string => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`

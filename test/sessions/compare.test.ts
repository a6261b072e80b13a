import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sameSecret } from '../../src/shared/same-secret.ts'

const source = join(import.meta.dirname, '../../src')
const secret = String.raw`\w*(?:csrf|secret|cookie|password|hash|digest|print|token|code|proof)\w*`
/** Two secrets compared character by character: the time reveals how far they agree. */
const compared = new RegExp(
  String.raw`\b${secret}\)? [!=]== (?!undefined|null|'|-?\d)|[!=]== (?:\w+\.)*${secret}\b|\.(?:includes|indexOf)\((?:\w+\.)*${secret}\)`,
  'i',
)

/** Lines that compare secrets without constant time, by file. */
function offences(folder: string): string[] {
  const names = readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
  const files = names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(join(source, folder, name), 'utf8')] as const)
  return files.flatMap(([name, text]) =>
    text.split('\n').flatMap((line) => (compared.test(line) ? [`${name}: ${line.trim()}`] : [])),
  )
}

describe('comparison of secrets', () => {
  test('compares two secrets, whatever their length', () => {
    expect(sameSecret('abc', 'abc')).toBe(true)
    for (const other of ['abd', 'ab', 'abcd', '', 'ABC']) expect(sameSecret('abc', other)).toBe(false)
  })

  test('detects a plain comparison of secrets', () => {
    for (const line of [
      'if (token === csrfOf(runtime, cookie)) return',
      'live.find(({ cookie }) => csrfOf(runtime, cookie) !== token)',
      'kept.includes(print)',
      'row.secret === sent',
      'if (sent == null || sent !== row.hash)',
      'return told.proof === this.#proofOf(told)',
    ])
      expect(compared.test(line), line).toBe(true)
  })

  test('compares secrets in constant time in sessions and tokens, and looks up the rest by SHA-256', () => {
    expect(['areas/sessions', 'areas/sso', 'areas/tokens'].flatMap(offences)).toEqual([
      "password.ts: if (new_password === current_password) throw invalid('new_password', 'must differ from the current one')",
    ])
  })

  test('compares secrets in constant time in the runtime, except codes of errors and a new password with names', () => {
    expect(offences('runtime')).toEqual([
      "jobs/node-errors.ts: reason instanceof Error && 'code' in reason && reason.code === code",
      "security/crypt.ts: names.some((name) => name.toLowerCase() === password.toLowerCase()) ? 'must not be the name itself' : undefined",
    ])
  })

  test('stores only a hash of what is looked up', () => {
    const columns = (table: string) =>
      readFileSync(join(source, 'areas', table, 'tables.ts'), 'utf8').match(/text\('\w+'\)/g)
    for (const area of ['sessions', 'sso', 'tokens']) {
      expect(columns(area)).toContain("text('hash')")
      expect(columns(area)).not.toContain("text('cookie')")
      expect(columns(area)).not.toContain("text('token')")
    }
  })
})

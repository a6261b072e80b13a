import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, textIn } from '../../src/areas/files/views/text.ts'
import { runs } from '../fuzz.ts'

/** As a browser sends what a text field holds. */
const sent = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n')

const text = fc
  .array(fc.constantFrom('a', 'ü', '\n', '\r\n', '\r', '\t', ''), { maxLength: 20 })
  .map((all) => all.join(''))

test('a file that is saved unchanged keeps its bytes, whatever its lines end with', () => {
  fc.assert(
    fc.property(text, (content) => {
      const bytes = Buffer.from(content)
      const displayed = textIn(bytes)
      if (typeof displayed === 'string') throw new Error(displayed)
      expect(displayed.text).not.toContain('\r')
      expect(Buffer.from(bytesOf(sent(displayed.text), displayed.newline))).toEqual(bytes)
    }),
    runs(1000),
  )
})

test.each([
  ['one line of Windows among others', 'a\nb\r\nc\n', 'a\nb␍\nc\n', 'mixed-lf'],
  ['one line of Unix among others', 'a\r\nb\nc\r\nd\re', 'a\nb␊\nc\nd␍e', 'mixed-crlf'],
  ['lines of old Macs', 'a\rb\r', 'a\nb\n', 'cr'],
  ['plain lines with a sign', '␍a\nb\n', '␍a\nb\n', 'lf'],
])('%s', (_, content, displayed, newline) => {
  expect(textIn(Buffer.from(content))).toEqual({ text: displayed, newline })
  const edited = Buffer.from(bytesOf(sent(`${displayed}x`), newline)).toString()
  expect(edited).toBe(`${content}x`)
})

test('signs that the file has itself cannot mark line ends', () => {
  expect(textIn(Buffer.from('␍a\r\nb\n'))).toBe('Its lines end in different ways.')
})

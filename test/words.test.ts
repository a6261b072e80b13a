import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm

/** Wordings that read as translated, with what to write instead. */
const translated: Readonly<Record<string, RegExp>> = {
  'is not a …': /(?<!\bthere )\b(?:is|are|was) no (?!longer)/i,
  'must not contain …': /\bthat is no (?!longer)/,
  'any user who …': /\bwhoever\b/i,
  'no one, or the passive': /\bnobody (?:else|may|can|could|knows|has|reads)\b/i,
  'The server is busy.': /\bwaits? for (?:its|their) turn/,
  'is not a panel server': /\banswer as panel does/,
  'is empty, or differs': /\bdiffer or (?:are|is) empty/,
  expired: /\b(?:has|have|license) lapsed\b/,
  'does not exist': /\bnever was\b/,
  'does not expire': /\bfor ever\b/,
  'no room for …': /\btoo narrow for\b/,
  'cannot be combined with …': /\bstands? alone;|\bcannot stand beside\b|\bdo not go together\b/,
  'since it was read, during …': /\bmeanwhile\b/i,
  'by default': /\bif not said\b|\bmust be said\b/,
}

const below = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(dir, file))

test('no message reads as translated', () => {
  const found = below('src').flatMap((file) => {
    const code = readFileSync(file, 'utf8').replace(comments, '')
    return Object.entries(translated).flatMap(([better, wording]) =>
      code
        .split('\n')
        .filter((line) => wording.test(line))
        .map((line) => `${file}: ${line.trim()} (write: ${better})`),
    )
  })
  expect(found).toEqual([])
})

// node test/names.mjs [FILE...] : fails on private words of docs/glossary.md in identifiers, file names and messages.
// The glossary is the only list: the first column holds the words, "Allowed" the exceptions with their reasons.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const wordsIn = (text) => [...text.matchAll(/^\| `([^`]+)`/gm)].flatMap(([, list]) => list.split(' '))
const section = (text, title) => text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

/** What the glossary says: private words, words that messages must not have either, and allowed names by path. */
export function readGlossary(text) {
  const allowed = [...section(text, 'Allowed').matchAll(/^- `([^`]+)`(?: in `([^`]+)`)?/gm)]
  return {
    words: new Set(wordsIn(section(text, 'Names'))),
    messages: new Set(wordsIn(section(text, 'Messages'))),
    allows: (name, file) =>
      allowed.some(([, one, path]) => one === name && (path === undefined || file.startsWith(path))),
  }
}

/** `fileErrorAt`: file, error, at. */
const parts = (name) => name.split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z]+/).map((word) => word.toLowerCase())

// Takes a file apart: comments, strings and regular expressions are one piece each, the rest are identifiers.
const piece =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<![\w$)\]]\s*)\/(?![/*])(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\n[]|\\.)+\/[dgimsuvy]*|[A-Za-z_$][\w$]*/g
const declaration =
  /(?:\b(?:const|let|var|function\*?|class|interface|type|enum|as|readonly|static|async|get|set)\s+(?:\{\s*)?|[({,[|&]\s*|\.\.\.|#|(?:^|\n)\s*)$/

/** What follows a word of a template's text: another word. */
const inSentence = /^ (?!(?:as|extends|in|is|of|satisfies)\b)[a-z$]/

/** Whether the name is declared there: names of another program's API or of a stored format are only used. */
function declares(code, name, at) {
  const before = code.slice(Math.max(0, at - 24), at)
  if (!declaration.test(before) || inSentence.test(code.slice(at + name.length))) return false
  return !(code[at + name.length] === '.' && !before.endsWith('#'))
}

/** A sentence that someone reads: more than one word, and no code. */
const isMessage = (text) => /^['"].*[a-z] [a-z]/i.test(text) && !/[{}<>=;]/.test(text)

/** Every private word of a file: `{ line, name, word }`. */
export function findPrivateWords(file, code, { words, messages, allows }) {
  const found = []
  const note = (name, list, at) => {
    const word = allows(name, file) ? undefined : parts(name).find((one) => list.has(one))
    if (word) found.push({ line: code.slice(0, at).split('\n').length, name, word })
  }
  note(basename(file).replace(/\..*/, ''), words, 0)
  const seen = new Set()
  for (const { 0: text, index } of code.matchAll(piece)) {
    if (isMessage(text)) for (const word of text.match(/[A-Za-z]+/g)) note(word, messages, index)
    else if (/^[A-Za-z_$]/.test(text) && !seen.has(text) && declares(code, text, index)) {
      seen.add(text)
      note(text, words, index)
    }
  }
  return found
}

function main(files) {
  const glossary = readGlossary(readFileSync('docs/glossary.md', 'utf8'))
  const found = files.flatMap((file) =>
    findPrivateWords(file, readFileSync(file, 'utf8'), glossary).map(
      ({ line, name, word }) => `${file}:${line}: ${name}: ${word}`,
    ),
  )
  if (found.length === 0) return
  console.error(found.join('\n'))
  console.error(`${found.length} names with private words: write what docs/glossary.md says instead.`)
  process.exitCode = 1
}

const sources = () =>
  execFileSync('git', ['ls-files', 'src', 'test', 'bench'], { encoding: 'utf8', maxBuffer: 2 ** 27 })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && file !== 'test/names.test.ts')

if (process.argv[1] === import.meta.filename) main(process.argv.length > 2 ? process.argv.slice(2) : sources())

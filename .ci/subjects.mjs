// Checks the subjects of commits: `area: imperative`, at most 72 characters. Commits before the rule are left alone.
import { spawnSync } from 'node:child_process'

/** The last commit before the rule. */
const BASE = 'e6e81cc9747a5d3795c3a9d47986e22ab22d596f'
const MAX_SUBJECT_LENGTH = 72
const area = '[a-z0-9][a-z0-9./-]*'
const shape = new RegExp(`^${area}(, ${area})*: (?<verb>[A-Za-z]+)\\b.*[^.]$`)
/** Endings of verbs that are not imperatives, and imperatives that end the same way. */
const otherForm = /(ing|ed)$/
const verbs = ['bring', 'ping', 'string', 'ring', 'swing', 'embed', 'feed', 'need', 'seed', 'shed', 'speed', 'exceed']

const git = (...words) => spawnSync('git', words, { encoding: 'utf8' })

function errorOf(subject) {
  if (subject.length > MAX_SUBJECT_LENGTH) return `is longer than ${MAX_SUBJECT_LENGTH} characters`
  const verb = shape.exec(subject)?.groups.verb
  if (verb === undefined) return 'is not of the form `area: imperative`'
  return otherForm.test(verb) && !verbs.includes(verb) ? `begins with "${verb}", which is not an imperative` : undefined
}

/** The commits to check; none if the base is not in this history. */
function range() {
  if (git('cat-file', '-e', `${BASE}^{commit}`).status === 0) return [`${BASE}..HEAD`]
  const isShallow = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'true'
  // A shallow clone may end after the base: all that it has is newer. Where it is cut off may be the base itself.
  if (isShallow) return ['HEAD', '--not', ...git('rev-list', '--max-parents=0', 'HEAD').stdout.trim().split('\n')]
  process.stdout.write('The base of the rule is not in this history: no commit is checked.\n')
  return ['--max-count=0', 'HEAD']
}

const { stdout, stderr, status } = git('log', '--no-merges', '--format=%h %s', ...range())
if (status !== 0) {
  process.stderr.write(stderr)
  process.exit(1)
}
const errors = stdout.split('\n').flatMap((line) => {
  const [, commit, subject] = /^(\S+) (.*)$/.exec(line) ?? []
  const error = subject === undefined ? undefined : errorOf(subject)
  return error ? [`${commit} "${subject}" ${error}`] : []
})
for (const error of errors) process.stderr.write(`${error}\n`)
process.exitCode = errors.length > 0 ? 1 : 0

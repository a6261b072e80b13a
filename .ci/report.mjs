// Reads what a run of the tests reported: node .ci/report.mjs files|failures|summary FOLDER [FAILED_STEPS]
// FOLDER has all.json, and again.json where the files with failed tests ran once more.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [what, folder, failedSteps = 0] = process.argv.slice(2)
/** Of more files than this, a run of a few says nothing about a flaky test. */
const MAX_RERUN_FILES = 5

function read(name) {
  const path = join(folder, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

const isFailed = ({ status }) => status === 'failed'
const failedFiles = ({ testResults = [] }) => testResults.filter(isFailed)

/** One line for each failed test, and for each file that failed as a whole. */
const failures = (report) =>
  failedFiles(report).flatMap(({ name, message, assertionResults }) => {
    const tests = assertionResults.filter(isFailed)
    if (tests.length === 0) return [`file: ${name}: ${message}`]
    return tests.map(({ fullName, failureMessages }) => `test: ${name} > ${fullName}: ${failureMessages.join(' ')}`)
  })

function files(report) {
  const names = failedFiles(report).map(({ name }) => name)
  return names.length > MAX_RERUN_FILES ? [] : names
}

/** A test that fails among all others and passes with fewer is flaky: it counts as passed, and is named. */
function outcome() {
  const [whole, again] = [read('all.json'), read('again.json')]
  const hasPassed = again.success === true
  const named = failures(whole).map((line) => `${hasPassed ? 'FLAKY' : 'FAILED'} ${line}`.slice(0, 1000))
  return { ...counts(whole, hasPassed ? named.length : 0, hasPassed ? 0 : named.length), named }
}

const counts = ({ numPassedTests = 0, numPendingTests = 0, numTodoTests = 0 }, flaky, failed) => ({
  passed: numPassedTests + flaky,
  failed,
  skipped: numPendingTests + numTodoTests,
})

function summary() {
  const { passed, failed, skipped } = outcome()
  const otherSteps = failed > 0 ? Number(failedSteps) - 1 : Number(failedSteps)
  return [`${passed} passed, ${failed + otherSteps} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`]
}

const lines = { files: () => files(read('all.json')), failures: () => outcome().named, summary }[what]()
for (const line of lines) console.log(line)

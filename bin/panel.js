#!/usr/bin/env node
// CommonJS, as what it loads: Node's loader of ECMAScript modules takes longer than all that is to be done here.
const { existsSync, readFileSync } = require('node:fs')

const words = process.argv.slice(2)
const root = `${__dirname}/../`
const scripts = { bash: 'panel.bash', zsh: '_panel', fish: 'panel.fish', powershell: 'panel.ps1' }

const fileText = (path) => readFileSync(root + path, 'utf8')

/** What needs nothing of the program is answered without loading it. */
function run() {
  if (words[0] === '--version' || words[0] === '-V') return print(`${JSON.parse(fileText('package.json')).version}\n`)
  if (words[0] === 'completion' && words.length === 2 && scripts[words[1]])
    return print(fileText(`completions/${scripts[words[1]]}`))
  if (!existsSync(`${root}dist/cli/main.cjs`)) return notBuilt()
  if (words[0] === 'host' && words[1] === 'agent')
    return require(words[2] === '--home' ? '../dist/host/home.cjs' : '../dist/host/agent.cjs')
  if (words[0] === '__complete')
    return require('../dist/cli/complete.cjs').complete(words.slice(words[1] === '--' ? 2 : 1))
  return asksForHelp()
    ? whole()
    : require('../dist/cli/quick.cjs')
        .quick(words)
        .then((done) => done || whole())
}

const asksForHelp = () => words.length === 0 || words.some((word) => ['help', '--help', '-h'].includes(word))

const whole = () => require('../dist/cli/main.cjs').main(words)

function print(text) {
  process.stdout.on('error', () => {})
  process.stdout.write(text)
}

function notBuilt() {
  process.stderr.write('error: panel is not built\nhint: run `npm run build`\n')
  process.exitCode = 1
}

run()

#!/usr/bin/env node
// Imported, this module would bring others along that are not needed.
const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')

const words = process.argv.slice(2)
const root = new URL('../', import.meta.url)
const scripts = { bash: 'panel.bash', zsh: '_panel', fish: 'panel.fish', powershell: 'panel.ps1' }

const fileText = (path) => readFileSync(new URL(path, root), 'utf8')

/** What needs nothing of the program is answered without loading it. */
async function run() {
  if (words[0] === '--version' || words[0] === '-V') return print(`${JSON.parse(fileText('package.json')).version}\n`)
  if (words[0] === 'completion' && words.length === 2 && scripts[words[1]])
    return print(fileText(`completions/${scripts[words[1]]}`))
  if (!existsSync(new URL('dist/cli/main.js', root))) return notBuilt()
  if (words[0] === '__complete') return complete(words.slice(words[1] === '--' ? 2 : 1))
  const { main } = await import('../dist/cli/main.js')
  await main(words)
}

function print(text) {
  process.stdout.on('error', () => {})
  process.stdout.write(text)
}

async function complete(typed) {
  const { complete } = await import('../dist/cli/complete.js')
  await complete(typed)
}

function notBuilt() {
  process.stderr.write('error: panel is not built\nhint: run `npm run build`\n')
  process.exitCode = 1
}

await run()

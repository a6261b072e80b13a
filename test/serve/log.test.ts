import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDirectory, start } from '../faults/process.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly request_id?: string
  readonly err?: { readonly message: string }
}

const linesOf = (text: string): Line[] =>
  text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

test('a server that crashes has logged every request, and the reason', async () => {
  const server = await start(newDirectory())
  const answers = await Promise.all(Array.from({ length: 5 }, () => server.ask('GET', '/accounts')))
  expect(answers.map((answer) => answer?.status)).toEqual([200, 200, 200, 200, 200])
  server.child.send('crash')
  expect(await server.ended).toBe(1)
  const lines = linesOf(server.stderr)
  expect(lines.filter(({ request_id }) => request_id)).toHaveLength(5)
  expect(lines.at(-1)).toMatchObject({
    level: 50,
    msg: 'unhandled error: the server is stopping',
    err: { message: 'a fault that nobody handles' },
  })
})

describe('lines still buffered when the process exits', () => {
  const main = join(import.meta.dirname, 'log-main.ts')

  function run(how: string): ChildProcess {
    const child = spawn(process.execPath, ['--import', 'tsx', main, how], { stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  async function textOf(child: ChildProcess): Promise<string> {
    let text = ''
    child.stderr!.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    await once(child, 'close')
    return text
  }

  test.each(['exit', 'return', 'throw'])('writes all lines in order after %s', async (how) => {
    const output = linesOf(await textOf(run(how))).map(({ msg }) => msg)
    expect(output.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, place) => `line ${place}`))
  })

  test.each(['gone', 'stuck'])('does not stay alive for lines whose reader is %s', async (reader) => {
    const child = run('when-told')
    await once(child.stdout!, 'data')
    if (reader === 'gone') child.stderr!.destroy()
    else child.stderr!.pause()
    child.kill('SIGUSR2')
    const [code] = await once(child, 'exit')
    expect(code).toBe(7)
  })
})

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mailWords, messageOf } from '../../src/host/debian/cron/mail.ts'
import { commandEnd, endOf, type Remains } from '../../src/host/debian/cron/run.ts'
import { keeperWords, wordsOf } from '../../src/host/debian/cron/unit.ts'
import { account, idOf, nameOf, tempDir } from '../host/helpers.ts'

describe('end of a command', () => {
  test.each([
    ['Main processes terminated with: code=exited/status=3', { exitCode: 3 }],
    ['Main processes terminated with: code=exited, status=0/SUCCESS', { exitCode: 0 }],
    ['Finished with result: signal\nMain processes terminated with: code=killed/status=KILL', { signal: 'SIGKILL' }],
    ['Main processes terminated with: code=dumped, status=11/SEGV', { signal: 'SIGSEGV' }],
  ])("parses systemd's output: %s", (received, end) => {
    expect(endOf(received)).toEqual(end)
  })

  test('does not know the end of a command that never started', () => {
    expect(() => endOf('Failed to start transient service unit: Unit not found.\n')).toThrow(
      'The command could not be started: Failed to start transient service unit: Unit not found.',
    )
  })
})

test('a run that has ended is reported with the end of its output', () => {
  const command = { account: nameOf(account()), run: idOf(1), command: 'true', timeoutS: 60 }
  const output = 'Finished with result: success\nMain processes terminated with: code=exited/status=0\n'
  const end = (over: Partial<Remains>) =>
    commandEnd(command, { systemdOutput: output, output: Buffer.from('x\n'), tookMs: 5, ...over })
  expect(end({})).toEqual({ exitCode: 0, timedOut: false, output: 'x\n', truncated: false })
  expect(end({ output: Buffer.alloc(65_537, 'x') })).toMatchObject({ truncated: true, output: 'x'.repeat(65_536) })
  const killed = 'Finished with result: signal\nMain processes terminated with: code=killed/status=KILL\n'
  expect(end({ systemdOutput: killed, tookMs: 59_999 })).toMatchObject({ signal: 'SIGKILL', timedOut: false })
  expect(end({ systemdOutput: killed, tookMs: 60_000 })).toMatchObject({ signal: 'SIGKILL', timedOut: true })
  expect(end({ systemdOutput: killed.replace('signal', 'timeout') })).toMatchObject({ timedOut: true })
})

test('a command appears neither in its unit nor in what started it', () => {
  const command = { account: nameOf(account()), run: idOf(1), command: 'mysql -psecret', timeoutS: 60 }
  expect(keeperWords(command, '/x/1').join(' ')).not.toContain('secret')
  expect(keeperWords(command, '/x/1')).toEqual(expect.arrayContaining(wordsOf(command)))
})

test('the mail of a run contains its output, and no headers injected by it', () => {
  const text = `.\nFrom: x@x.example\n${'é'.repeat(100)}\n`
  const message = messageOf({ from: 'a@a.example', to: 'b@b.example', subject: 'Cron: écho', text, truncated: false })
  const [head, body] = message.split('\n\n')
  expect(head!.split('\n').slice(0, 3)).toEqual([
    'From: a@a.example',
    'To: b@b.example',
    expect.stringMatching(/^Subject: =\?utf-8\?B\?[\w+/=]+\?=$/),
  ])
  expect(Buffer.from(body!, 'base64').toString()).toBe(text)
})

test('the mail of a run is sent in the slice of its account, without a channel to the agent', () => {
  const command = { account: nameOf(account()), run: idOf(1), command: 'true', timeoutS: 60 }
  const words = mailWords(command, '/x/1.mail')
  expect(words).toEqual(
    expect.arrayContaining([
      '--slice=panel-bob.slice',
      '--uid=20001',
      '--property=StandardInput=file:/x/1.mail',
      '--property=StandardOutput=null',
      '--property=StandardError=null',
    ]),
  )
  expect(words).not.toContain('--pipe')
})

test('a command has pipes for its output, and never a file of root that it could fill', () => {
  const command = { account: nameOf(account()), run: idOf(1), command: 'true', timeoutS: 60 }
  const base = join(tempDir(), 'run')
  writeFileSync(`${base}.in`, 'input\n')
  const words = keeperWords(command, base)
  const script = words[words.indexOf('-c') + 1]!
  const program = 'readlink /proc/$$/fd/1 /proc/$$/fd/2 >&2; cat; printf %9999s report >&2'
  execFileSync('/bin/sh', ['-c', script, 'sh', base, '20', '/bin/sh', '-c', program])
  expect(readFileSync(`${base}.out`, 'utf8')).toBe('input\n')
  expect(readFileSync(`${base}.said`, 'utf8')).toBe('report'.padStart(4096))
  writeFileSync(`${base}.in`, '')
  execFileSync('/bin/sh', ['-c', script, 'sh', base, '20', '/bin/sh', '-c', program.replace(/;.*/, '')])
  expect(readFileSync(`${base}.said`, 'utf8')).toMatch(/^pipe:\[\d+\]\npipe:\[\d+\]\n$/)
})

test("does not wait beyond the time of a command for output that its tenant's process holds open", () => {
  const command = { account: nameOf(account()), run: idOf(1), command: 'true', timeoutS: 60 }
  const base = join(tempDir(), 'run')
  writeFileSync(`${base}.in`, '')
  const words = keeperWords(command, base)
  const script = words[words.indexOf('-c') + 1]!
  execFileSync('/bin/sh', ['-c', script, 'sh', base, '1', '/bin/sh', '-c', 'sleep 20 & exit'])
  expect(readFileSync(`${base}.out`, 'utf8')).toBe('')
  expect(words.slice(words.indexOf(base), words.indexOf(base) + 2)).toEqual([base, '120'])
})

import { describe, expect, test } from 'vitest'
import { messageOf } from '../../src/host/debian/cron/mail.ts'
import { endOf } from '../../src/host/debian/cron/run.ts'
import { wordsOf } from '../../src/host/debian/cron/unit.ts'
import { account, idOf, nameOf } from '../host/helpers.ts'

describe('how a command ended', () => {
  test.each([
    ['Main processes terminated with: code=exited/status=3', { exitCode: 3 }],
    ['Main processes terminated with: code=exited, status=0/SUCCESS', { exitCode: 0 }],
    ['Finished with result: signal\nMain processes terminated with: code=killed/status=KILL', { signal: 'SIGKILL' }],
    ['Main processes terminated with: code=dumped, status=11/SEGV', { signal: 'SIGSEGV' }],
  ])('is read from what systemd says: %s', (told, end) => {
    expect(endOf(told)).toEqual(end)
  })

  test('is not known of one that never began', () => {
    expect(() => endOf('Failed to start transient service unit: Unit not found.\n')).toThrow(
      'The command could not be started: Failed to start transient service unit: Unit not found.',
    )
  })
})

test('a command stands neither in its unit nor in what started it', () => {
  const command = { account: nameOf(account()), run: idOf(1), command: 'mysql -psecret', timeoutS: 60 }
  expect(wordsOf(command).join(' ')).not.toContain('secret')
})

test('the mail of a run holds its output and nothing that its output could add', () => {
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

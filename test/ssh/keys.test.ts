import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { hasKeygen, keygen, keyOf, lineOf, value, withAlice } from './fixtures.ts'

const point = Buffer.from(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' }).subarray(-65),
)
const number = (bits: number) => Buffer.concat([Buffer.from([0]), Buffer.alloc(bits / 8, 0xab)])
const exponent = Buffer.from([1, 0, 1])
const ed25519 = lineOf('ssh-ed25519', Buffer.alloc(32, 9))
const blobOf = (line: string) => Buffer.from(line.split(' ')[1]!, 'base64')

describe('accepted keys', () => {
  test.runIf(hasKeygen).each([
    ['ssh-ed25519', ['-t', 'ed25519']],
    ['ecdsa-sha2-nistp256', ['-t', 'ecdsa', '-b', '256']],
    ['ecdsa-sha2-nistp384', ['-t', 'ecdsa', '-b', '384']],
    ['ecdsa-sha2-nistp521', ['-t', 'ecdsa', '-b', '521']],
    ['ssh-rsa', ['-t', 'rsa', '-b', '2048']],
  ])('shows the same fingerprint as OpenSSH: %s', async (type, args) => {
    const { panel, add, onHost, enable } = await withAlice()
    const { line, fingerprint } = keygen(...args)
    expect((await add(line)).body.key).toMatchObject({ type, fingerprint, comment: 'alice on her laptop' })
    await enable()
    await panel.settle()
    expect(onHost()).toEqual([line.split(' ').slice(0, 2).join(' ')])
  })

  test.each([
    ['sk-ssh-ed25519@openssh.com', [Buffer.alloc(32, 3), 'ssh:']],
    ['sk-ecdsa-sha2-nistp256@openssh.com', ['nistp256', point, 'ssh:']],
  ])('accepts a key on a hardware token: %s', async (type, values) => {
    const { add } = await withAlice()
    expect((await add(lineOf(type, ...values))).body.key).toMatchObject({ type, comment: '' })
  })

  test('shows a key in its resource, and installs it in one job', async () => {
    const { panel, add, keys } = await withAlice()
    const made = await add(`${ed25519} alice@laptop\r\n`)
    expect([made.status, made.body.key]).toEqual([
      202,
      {
        id: made.body.key.id,
        name: 'laptop',
        type: 'ssh-ed25519',
        fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
        comment: 'alice@laptop',
        created_at: panel.clock.now(),
      },
    ])
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['ssh.apply succeeded'] })
    expect(await keys()).toEqual([made.body.key])
  })
})

describe('refused keys', () => {
  const cut = blobOf(ed25519).subarray(0, -1)
  const longer = Buffer.concat([blobOf(ed25519), Buffer.from([0])])
  const off = Buffer.from(point).fill(1, 60)
  test.each([
    ['options before the type', `command="id" ${ed25519}`, 'options'],
    ['addresses before the type', `from="192.0.2.1" ${ed25519}`, 'options'],
    ['an authority of certificates', `cert-authority ${ed25519}`, 'options'],
    ['two lines', `${ed25519}\n${keyOf(2)}`, 'one line'],
    ['a second line behind a carriage return', `${ed25519}\r${keyOf(2)}`, 'one line'],
    ['an escape code', `${ed25519} a\x1bb`, 'control characters'],
    ['a line separator', `${ed25519} a\u2028b`, 'control characters'],
    ['a DSA key', lineOf('ssh-dss', Buffer.alloc(20)), 'DSA'],
    ['a certificate', lineOf('ssh-ed25519-cert-v01@openssh.com', Buffer.alloc(32)), 'certificate'],
    ['a blob of another type', `ssh-rsa ${ed25519.split(' ')[1]}`, 'another type'],
    ['a type alone', 'ssh-ed25519', 'type'],
    ['a blob that is cut off', `ssh-ed25519 ${cut.toString('base64')}`, 'cut off'],
    ['a byte after the end', `ssh-ed25519 ${longer.toString('base64')}`, 'after its end'],
    ['base64 with something in it', `ssh-ed25519 ${ed25519.split(' ')[1]!.replace('A', 'A*')}`, 'base64'],
    ['base64 without its padding', `ssh-ed25519 ${longer.toString('base64').replace(/=+$/, '')}`, 'base64'],
    ['a short Ed25519 key', lineOf('ssh-ed25519', Buffer.alloc(31)), 'Ed25519'],
    ['RSA of 1,024 bits', lineOf('ssh-rsa', exponent, number(1024)), '1024 bits'],
    ['RSA with an even exponent', lineOf('ssh-rsa', Buffer.from([4]), number(2048)), 'exponent'],
    [
      'RSA with an even modulus',
      lineOf('ssh-rsa', exponent, Buffer.concat([number(2048).subarray(0, -1), Buffer.of(2)])),
      'modulus',
    ],
    ['RSA with a negative modulus', lineOf('ssh-rsa', exponent, Buffer.alloc(256, 0xff)), 'number'],
    [
      'RSA with a padded modulus',
      lineOf('ssh-rsa', exponent, Buffer.concat([Buffer.alloc(9), number(2048)])),
      'number',
    ],
    ['a point off its curve', lineOf('ecdsa-sha2-nistp256', 'nistp256', off), 'nistp256'],
    ['a point of infinity', lineOf('ecdsa-sha2-nistp256', 'nistp256', Buffer.from([0])), 'nistp256'],
    ['another curve inside', lineOf('ecdsa-sha2-nistp384', 'nistp256', point), 'curve'],
    ['a token without its application', lineOf('sk-ssh-ed25519@openssh.com', Buffer.alloc(32)), 'cut off'],
    ['more than 8 KiB', `${ed25519} ${'a'.repeat(8150)}`, ''],
  ])('refuses %s as a key', async (_, public_key, message) => {
    const { panel, add, keys } = await withAlice()
    const reply = await add(public_key)
    expect(problem(reply)).toEqual([400, 'validation', 'public_key'])
    expect(reply.body.fields.public_key).toContain(message)
    expect(await occurred(panel)).toEqual(nothing)
    expect(await keys()).toEqual([])
  })

  test.runIf(hasKeygen)('refuses a private key, and repeats its text nowhere', async () => {
    const { panel, add } = await withAlice()
    const { secret } = keygen('-t', 'ed25519')
    const reply = await add(secret)
    expect(problem(reply)).toEqual([400, 'validation', 'public_key'])
    expect(reply.body.fields.public_key).toContain('private key')
    const received = `${JSON.stringify(reply.body)}${panel.logged.join()}`
    expect(secret.split('\n').filter((line) => line.length > 60 && received.includes(line))).toEqual([])
  })
})

describe('keys of an account', () => {
  test('requires unique keys', async () => {
    const { panel, add } = await withAlice()
    await add(ed25519, 'laptop')
    await occurred(panel)
    const again = await add(`${ed25519} other comment`, 'desk')
    expect(problem(again)).toEqual([409, 'exists', 'public_key'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('limits keys to 50', async () => {
    const { panel, add, keys } = await withAlice()
    for (let n = 0; n < 50; n++) expect((await add(keyOf(n), `key ${n}`)).status).toBe(202)
    await occurred(panel)
    expect(problem(await add(keyOf(50)))).toEqual([409, 'too-many'])
    expect(await occurred(panel)).toEqual(nothing)
    expect(await keys()).toHaveLength(50)
  })

  test('deletes keys, and removes them from the host', async () => {
    const { panel, add, enable, onHost, path, keys } = await withAlice()
    await enable()
    const [one] = [await add(keyOf(1)), await add(keyOf(2))]
    await occurred(panel)
    const gone = await panel.delete(`${path}/keys/${one.body.key.id}`)
    expect([gone.status, gone.body.key]).toEqual([202, one.body.key])
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['ssh.apply succeeded'] })
    expect(onHost()).toEqual([keyOf(2)])
    expect(await keys()).toHaveLength(1)
    expect(problem(await panel.delete(`${path}/keys/${one.body.key.id}`))).toEqual([404, 'not-found'])
  })

  test('hides keys from another account', async () => {
    const { panel, add, alice } = await withAlice()
    const bob = await panel.account('bob')
    const { id } = (await add(keyOf(1))).body.key
    expect((await panel.post(`/accounts/${bob.id}/ssh/keys`, { name: 'same', public_key: keyOf(1) })).status).toBe(202)
    expect(problem(await panel.delete(`/accounts/${bob.id}/ssh/keys/${id}`))).toEqual([404, 'not-found'])
    expect((await panel.get(`/accounts/${alice.id}/ssh/keys`)).body.items).toHaveLength(1)
  })
})

test('a manually built value follows the standard', () => {
  expect(value('ab').toString('hex')).toBe('000000026162')
})

import { eq } from 'drizzle-orm'
import type * as declared from '../../../contract/backup-destinations.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { type DestinationRow, destinations } from '../tables.ts'
import { newPassword, sealed, unsealed } from './keys.ts'
import { plainSettings } from './plain.ts'
import { refuseSettings, type SettingsInput, visibleSettings, wheres } from './settings.ts'
import {
  allDestinations,
  destinationById,
  isNameTaken,
  makeDefault,
  setDestination,
  toDestination,
  usesOf,
} from './store.ts'
import { validateOnHost } from './validate.ts'

const listBackupDestinations: Handler<typeof declared.listBackupDestinations> = {
  handle: ({ db }) => ({ items: allDestinations(db).map(toDestination) }),
}

const getBackupDestination: Handler<typeof declared.getBackupDestination> = {
  handle: ({ found }) => toDestination(found.destination),
}

const createBackupDestination: Handler<typeof declared.createBackupDestination, void> = {
  async prepare(ctx, { body }) {
    refuseSettings(body.type, body, true)
    plainOf(ctx, body)
    await validateOnHost(ctx, body)
  },
  handle(ctx, input) {
    const body = plainOf(ctx, input.body)
    const { name, type, path = null, secret_key, private_key } = body
    refuseTaken(ctx, name)
    const password = type === 'local' ? undefined : newPassword()
    const row: DestinationRow = {
      id: ctx.id(),
      name,
      type,
      is_default: false,
      path,
      settings: settingsIn(body),
      keys: password === undefined ? null : sealed(ctx.runtime, { password, secret_key, private_key }),
      created_at: ctx.now,
      updated_at: ctx.now,
    }
    ctx.db.insert(destinations).values(row).run()
    if (body.default) makeDefault(ctx, row.id)
    const destination = toDestination(destinationById(ctx.db, row.id)!)
    ctx.note({ object_id: row.id, after: destination })
    return { destination, ...(password !== undefined && { encryption_password: password }) }
  },
}

const plainOf = <Body extends SettingsInput>(ctx: Context, body: Body): Body =>
  plainSettings(body, getSetting(ctx.db, 'git_networks') ?? [])

const settingsIn = ({
  name: _name,
  type: _type,
  default: _default,
  ...input
}: SettingsInput & Record<string, unknown>) => visibleSettings(input as SettingsInput)

function refuseTaken({ db }: Context, name: string, self?: string): void {
  if (!isNameTaken(db, name, self)) return
  throw new Problem('exists', `There is a backup destination ${name} already.`, { name: 'is taken' })
}

const updateBackupDestination: Handler<typeof declared.updateBackupDestination, void> = {
  async prepare(ctx, { body }) {
    const { destination } = ctx.found
    refuseSettings(destination.type, body, false)
    plainOf(ctx, body)
    if (body.path !== undefined) await validateOnHost(ctx, { type: destination.type, path: body.path })
  },
  handle(ctx, input) {
    const { destination } = ctx.found
    const { bucket } = destination.settings
    const body = plainOf(ctx, { ...(bucket !== undefined && { bucket }), ...input.body })
    const before = toDestination(destination)
    const { id, is_default } = destination
    if (body.name !== undefined) refuseTaken(ctx, body.name, id)
    if (body.default === false && is_default)
      throw invalid('default', 'there must be a default: make another destination the default instead')
    refuseMoving(ctx, destination, body)
    setDestination(ctx, id, {
      ...(body.name !== undefined && { name: body.name }),
      ...(body.path !== undefined && { path: body.path }),
      settings: { ...destination.settings, ...settingsIn(body) },
      ...(destination.keys !== null && { keys: withNewKeys(ctx, destination, body) }),
      updated_at: ctx.now,
    })
    if (body.default) makeDefault(ctx, id)
    const after = toDestination(destinationById(ctx.db, id)!)
    ctx.note({ object_id: id, before, after })
    return after
  },
}

function withNewKeys(
  { runtime }: Context,
  destination: DestinationRow,
  { secret_key, private_key }: SettingsInput,
): string {
  const keys = unsealed(runtime, destination)
  return sealed(runtime, {
    ...keys,
    ...(secret_key !== undefined && { secret_key }),
    ...(private_key !== undefined && { private_key }),
  })
}

/** 409 `in-use` if existing backups would be looked for in a different place. */
function refuseMoving({ db }: Context, { id, name, path, settings }: DestinationRow, input: SettingsInput): void {
  const now: SettingsInput = { ...settings, ...(path !== null && { path }) }
  const moved = wheres.find((field) => input[field] !== undefined && input[field] !== now[field])
  const storedBackups = moved ? usesOf(db, id).backups : 0
  if (storedBackups === 0) return
  const message = `stays while ${storedBackups} backups are there`
  throw new Problem('in-use', `The ${moved} of ${name} ${message}.`, { [moved!]: message })
}

const deleteBackupDestination: Handler<typeof declared.deleteBackupDestination> = {
  handle(ctx) {
    const { destination } = ctx.found
    const { id, name, is_default } = destination
    const { backups, schedules } = usesOf(ctx.db, id)
    if (is_default) throw new Problem('in-use', `${name} is the default: make another destination the default first.`)
    if (backups > 0) throw new Problem('in-use', `${backups} backups are in ${name}: delete them first.`)
    if (schedules > 0)
      throw new Problem('in-use', `The schedules of ${schedules} accounts name ${name}: change them first.`)
    ctx.db.delete(destinations).where(eq(destinations.id, id)).run()
    ctx.note({ object_id: id, before: toDestination(destination) })
    return undefined
  },
}

const testBackupDestination: Handler<typeof declared.testBackupDestination> = {
  handle(ctx) {
    const { destination } = ctx.found
    const job_id = ctx.enqueue({ kind: 'backup.test', object_id: destination.id, lane: `test:${destination.id}` })
    ctx.note({ object_id: destination.id })
    return { destination: toDestination(destination), job_id }
  },
}

export const destinationOperations = {
  listBackupDestinations,
  createBackupDestination,
  getBackupDestination,
  updateBackupDestination,
  deleteBackupDestination,
  testBackupDestination,
}

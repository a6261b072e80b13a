import { and, eq, ne } from 'drizzle-orm'
import type { z } from 'zod'
import type { Database, DatabaseHost, DatabaseUser } from '../../contract/mysql.ts'
import { notFound } from '../../contract/problem.ts'
import type { Reads } from '../../runtime/operations/context.ts'
import type { Granted } from '../../shared/sql/privileges.ts'
import type { Db } from '../../store/open.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { type DatabaseRow, databases, grants, type HostRow, hosts, type UserRow, users } from './tables.ts'

export const databasesOf = objectsOf(databases, { noun: 'database', name: databases.name })
export const usersOf = objectsOf(users, { noun: 'database user', name: users.name })
export const hostsOf = objectsOf(hosts, { noun: 'host', name: hosts.host })

export const databaseById = (db: Db, id: string): DatabaseRow | undefined =>
  db.select().from(databases).where(eq(databases.id, id)).get()

export const userById = (db: Db, id: string): UserRow | undefined =>
  db.select().from(users).where(eq(users.id, id)).get()

export const databaseNamed = (db: Db, name: string): DatabaseRow | undefined =>
  db.select().from(databases).where(eq(databases.name, name)).get()

export const userNamed = (db: Db, name: string): UserRow | undefined =>
  db.select().from(users).where(eq(users.name, name)).get()

/** The grants on a database, in order of creation, without users being deleted. */
const usersOn = (db: Db, database: string) =>
  db
    .select({ id: users.id, name: users.name, privileges: grants.privileges })
    .from(grants)
    .innerJoin(users, eq(users.id, grants.user_id))
    .where(and(eq(grants.database_id, database), ne(users.status, 'deleting')))
    .orderBy(users.id)
    .all()

/** A user's grants, in order of creation, without databases being deleted. */
export const databasesFor = (db: Db, user: string) =>
  db
    .select({ id: databases.id, name: databases.name, privileges: grants.privileges })
    .from(grants)
    .innerJoin(databases, eq(databases.id, grants.database_id))
    .where(and(eq(grants.user_id, user), ne(databases.status, 'deleting')))
    .orderBy(databases.id)
    .all()

const ofPair = (database: string, user: string) => and(eq(grants.database_id, database), eq(grants.user_id, user))

export function setGrant({ db }: Reads, database: string, user: string, privileges: Granted): void {
  db.insert(grants)
    .values({ database_id: database, user_id: user, privileges })
    .onConflictDoUpdate({ target: [grants.database_id, grants.user_id], set: { privileges } })
    .run()
}

export const grantOn = ({ db }: Reads, database: string, user: string): Granted | undefined =>
  db.select({ privileges: grants.privileges }).from(grants).where(ofPair(database, user)).get()?.privileges

export function removeGrant({ db }: Reads, database: string, user: string): void {
  if (db.delete(grants).where(ofPair(database, user)).run().changes === 0) throw notFound('grant')
}

/** Row to resource (contract: Database). */
export const toDatabase = ({ db }: Reads, row: DatabaseRow): z.input<typeof Database> => ({
  id: row.id,
  name: row.name,
  collation: row.collation,
  used_bytes: row.used_bytes,
  measured_at: row.measured_at,
  users: usersOn(db, row.id).map(grantView),
  status: row.status,
  created_at: row.created_at,
})

/** Row to resource (contract: DatabaseUser). */
export const toUser = ({ db }: Reads, row: UserRow): z.input<typeof DatabaseUser> => ({
  id: row.id,
  name: row.name,
  databases: databasesFor(db, row.id).map(grantView),
  password_changed_at: row.password_changed_at,
  status: row.status,
  created_at: row.created_at,
})

const grantView = <G extends { readonly privileges: Granted }>(grant: G) => ({
  ...grant,
  privileges: [...grant.privileges],
})

/** Row to resource (contract: DatabaseHost). */
export const toHost = ({ id, host, status, created_at }: HostRow): z.input<typeof DatabaseHost> => ({
  id,
  host,
  status,
  created_at,
})

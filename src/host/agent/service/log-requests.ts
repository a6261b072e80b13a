import { checkAccountName } from '../../check.ts'
import type { AccountName, RotateOrder, SiteLog, TrafficOrder, VisitsOrder } from '../../driver.ts'
import { type FieldCheck, fields, listOf, object, oneOf, optional, text, whole } from '../../fields.ts'
import { trafficLogs } from '../../logs.ts'
import { siteFile } from '../../parts/web/state.ts'
import { place } from './file-requests.ts'

const day = text(/^\d{4}-\d{2}-\d{2}$/)
const stretch = { first: day, last: day, most: whole(1, 2 ** 30) }
const maxSites = 1_000
const account: FieldCheck = (value) => checkAccountName(value as AccountName)
const site = object<SiteLog>({ account, file: siteFile, since: optional(place) }, 'a log')
const salt = object<VisitsOrder['salts'][number]>({ day, salt: text(/^[0-9a-f]{32}$/) }, 'a salt')

/** The input of each log command. */
export const logChecks = {
  traffic: fields<TrafficOrder>({ ...stretch, log: oneOf(...trafficLogs), since: optional(place) }, 'traffic'),
  visits: fields<VisitsOrder>({ ...stretch, sites: listOf(site, maxSites), salts: listOf(salt, 100) }, 'visits'),
  rotateLogs: fields<RotateOrder>({ day, keepFrom: day }, 'a rotation'),
}

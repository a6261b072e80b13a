import { Problem } from '../../contract/problem.ts'
import { Failure } from '../failure.ts'
import { findPackage, prefixed } from '../find.ts'
import { type Call, required, type WhmFunction } from '../function.ts'
import { limitsIn } from '../limits.ts'
import { allOf } from '../pages.ts'
import { packageRow } from '../rows.ts'

export const listpkgs: WhmFunction = {
  name: 'listpkgs',
  needs: ['listPackages'],
  shape: 'bare',
  rename: ({ pkg }) => ({ package: pkg }),
  async run({ session }) {
    const packages = await allOf((query) => session.perform('listPackages', { query }))
    return { data: { pkg: packages.map(packageRow) } }
  },
}

export const getpkginfo: WhmFunction = {
  name: 'getpkginfo',
  needs: ['getPackage'],
  shape: 'read',
  nothing: { pkg: null },
  async run(call) {
    const id = await packageIn(call)
    return { data: { pkg: packageRow(await call.session.perform('getPackage', { params: { id } })) } }
  },
}

async function packageIn(call: Call): Promise<string> {
  const name = call.parameters.filled('name') ?? required(call, 'plan')
  return findPackage(call, name, `The package “${name}” does not exist.`)
}

export const addpkg: WhmFunction = {
  name: 'addpkg',
  needs: ['createPackage'],
  shape: 'change',
  async run(call) {
    const { session } = call
    const requested = required(call, 'name')
    const name = session.reseller ? prefixed(session.user, requested) : requested
    const limits = Object.entries(limitsIn(call.parameters)).filter(([, limit]) => limit !== null)
    const body = { name, ...Object.fromEntries(limits), ...(await settingsIn(call)) }
    const made = await create(call, name, body)
    return { statusmsg: `Created package ${made}`, data: { pkg: made } }
  },
}

async function create({ session }: Call, name: string, body: object): Promise<string> {
  try {
    return (await session.perform('createPackage', { body })).name
  } catch (error) {
    if (error instanceof Problem && error.code === 'exists') throw new Failure(`The package “${name}” already exists.`)
    throw error
  }
}

/** A package's settings besides limits. Absent ones stay unchanged. */
async function settingsIn(call: Call): Promise<object> {
  const { parameters } = call
  const [cgi, shell] = [parameters.flag('cgi'), parameters.flag('hasshell')]
  const features = parameters.filled('featurelist')
  const locale = parameters.filled('language')
  return {
    ...(cgi === undefined ? {} : { cgi }),
    ...(shell === undefined ? {} : { shell: shell ? '/bin/bash' : '/usr/sbin/nologin' }),
    ...(locale === undefined ? {} : { locale }),
    ...(features === undefined ? {} : { feature_list_id: await featureList(call, features) }),
  }
}

async function featureList({ session }: Call, name: string): Promise<string> {
  const { items } = await session.perform('listFeatureLists')
  const found = items.find((list) => list.name === name)
  if (!found) throw new Failure(`The feature list “${name}” does not exist.`)
  return found.id
}

export const editpkg: WhmFunction = {
  name: 'editpkg',
  needs: ['updatePackage'],
  shape: 'change',
  async run(call) {
    const id = await packageIn(call)
    const body = { ...limitsIn(call.parameters), ...(await settingsIn(call)) }
    const { name } = await call.session.perform('updatePackage', { params: { id }, body })
    return { statusmsg: `Modified package ${name}`, data: { pkg: name } }
  },
}

export const killpkg: WhmFunction = {
  name: 'killpkg',
  needs: ['deletePackage'],
  shape: 'change',
  async run(call) {
    const id = await packageIn(call)
    await call.session.perform('deletePackage', { params: { id } })
    return { statusmsg: `The package was deleted` }
  },
}

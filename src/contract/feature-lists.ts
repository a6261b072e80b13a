import { z } from 'zod'
import { component, featureNames, features, Id, listOf, Millis, Name, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

const switches = (more = '') =>
  z.strictObject(
    Object.fromEntries(
      featureNames.map((name) => [
        name,
        z
          .boolean()
          .optional()
          .describe(features[name] + more),
      ]),
    ) as Record<keyof typeof features, z.ZodOptional<z.ZodBoolean>>,
  )
const Switches = component('FeatureSwitches', switches())
const FirstSwitches = component('FirstFeatureSwitches', switches(' (default: true)'))

/** The features of its packages' accounts. */
export const FeatureList = component(
  'FeatureList',
  z.strictObject({
    id: Id,
    name: z.string(),
    owner_id: Id,
    features: Switches.describe('Every feature, on or off'),
    package_count: z.int().min(0),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const params = z.strictObject({ id: Id.describe('The feature list') })
const readers = {
  allow: { reseller: 'list-pkgs' },
  token: { admin: ['server', 'packages'], account: 'none' },
} as const
const root = { allow: {}, token: { admin: ['server'], account: 'none' } } as const
const columns = ['name', 'package_count', 'updated_at'] as const

export const listFeatures = operation({
  id: 'listFeatures',
  method: 'get',
  path: '/features',
  area: 'feature-lists',
  summary: 'List the features that a feature list can switch on or off',
  status: 200,
  answer: listOf(component('Feature', z.strictObject({ name: z.enum(featureNames), description: z.string() }))),
  ...readers,
  cli: {
    words: ['feature-lists', 'features'],
    columns: ['name', 'description'],
    examples: ['panel feature-lists features'],
  },
})

export const listFeatureLists = operation({
  id: 'listFeatureLists',
  method: 'get',
  path: '/feature-lists',
  area: 'feature-lists',
  summary: 'List feature lists',
  description: 'Resellers see `default` and the lists of the packages they see.',
  query: z.strictObject({
    ...paging,
    q: search('name'),
  }),
  status: 200,
  answer: pageOf(FeatureList),
  ...readers,
  cli: { words: ['feature-lists', 'list'], columns, examples: ['panel feature-lists list'] },
})

export const createFeatureList = operation({
  id: 'createFeatureList',
  method: 'post',
  path: '/feature-lists',
  area: 'feature-lists',
  summary: 'Create a feature list',
  description: 'Features that are not named are on.',
  body: component('CreateFeatureList', z.strictObject({ name: Name, features: FirstSwitches.optional() })),
  status: 201,
  answer: FeatureList,
  ...root,
  problems: ['exists'],
  cli: {
    words: ['feature-lists', 'create'],
    args: ['name'],
    columns,
    examples: ['panel feature-lists create basic --no-features-api-tokens'],
  },
})

export const getFeatureList = operation({
  id: 'getFeatureList',
  method: 'get',
  path: '/feature-lists/{id}',
  area: 'feature-lists',
  summary: 'Show a feature list',
  params,
  status: 200,
  answer: FeatureList,
  ...readers,
  cli: { words: ['feature-lists', 'show'], columns, examples: ['panel feature-lists show default'] },
})

export const updateFeatureList = operation({
  id: 'updateFeatureList',
  method: 'patch',
  path: '/feature-lists/{id}',
  area: 'feature-lists',
  summary: 'Change a feature list',
  description: 'Features that are not named stay as they are. Changes take effect immediately.',
  params,
  body: component('UpdateFeatureList', z.strictObject({ name: Name.optional(), features: Switches.optional() })),
  status: 200,
  answer: FeatureList,
  ...root,
  problems: ['exists'],
  cli: {
    words: ['feature-lists', 'update'],
    columns,
    examples: ['panel feature-lists update basic --features-webmail'],
  },
})

export const deleteFeatureList = operation({
  id: 'deleteFeatureList',
  method: 'delete',
  path: '/feature-lists/{id}',
  area: 'feature-lists',
  summary: 'Delete a feature list that no package uses',
  params,
  status: 204,
  ...root,
  problems: ['in-use'],
  cli: { words: ['feature-lists', 'delete'], confirm: 'yes', examples: ['panel feature-lists delete basic --yes'] },
})

import { stringify } from 'yaml'

export const yamlOf = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false })

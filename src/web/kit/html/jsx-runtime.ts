import type { Child } from 'hono/jsx'
import { Node, type Tag } from './html.ts'

/** The JSX runtime, with Hono's types: Hono's renderer takes several times as long. */
export const jsx = (tag: Tag, props: object) => new Node(tag, props as Node['props'])
export { jsx as jsxs }
export const Fragment = ({ children }: { children?: Child }) => children

export type { JSX } from 'hono/jsx/jsx-runtime'

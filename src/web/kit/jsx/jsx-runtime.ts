import type { Child } from 'hono/jsx'
import { Node, type Tag } from './written.ts'

/** What JSX is compiled to, with Hono's types: its renderer takes several times as long. */
export const jsx = (tag: Tag, props: object) => new Node(tag, props as Node['props'])
export { jsx as jsxs }
export const Fragment = ({ children }: { children?: Child }) => children

export type { JSX } from 'hono/jsx/jsx-runtime'

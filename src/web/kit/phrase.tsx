import { Machine } from './machine.tsx'
import { t } from './text.ts'

/** A text in which `{name}` stands for an identifier. */
export const Phrase = ({ text, name }: { text: string; name: string }) => {
  const [before = '', after = ''] = t(text).split('{name}')
  return (
    <>
      {before}
      <Machine text={name} />
      {after}
    </>
  )
}

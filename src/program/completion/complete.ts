/**
 * Answers to the completion scripts of the shells, `svc __complete -- words...`: the candidates for the last word of a command line.
 * Reads the configuration file at most; sends and runs nothing.
 */
import type { Host } from '../../host.ts'
import type { Completion } from '../shortcuts.ts'
import { readCommandLine } from '../command-line.ts'
import { withGlobalOptions } from '../global-options.ts'
import type { Answer } from '../help/answer.ts'
import { nouns } from '../nouns.ts'
import { candidates } from './values.ts'

/** More are not offered before a letter is typed, where that is asked for. */
const mostBrief = 20

/** `value<TAB>description` lines, or the line `:files`. With `isBrief` a line `:note<TAB>text` says that there are more. */
export async function complete(host: Host, { words, isBrief }: Completion): Promise<Answer> {
  const line = await readCommandLine(withGlobalOptions(nouns), words.slice(0, -1))
  const word = words.at(-1) ?? ''
  const values = await candidates(line, word, host)
  if (values === 'files') return { text: ':files\n', to: 'stdout' }
  const isCut =
    isBrief && word === '' && values.length > mostBrief && line.awaiting?.takes !== 'fields'
  const note = `:note\tthe newest ${mostBrief} of ${values.length}; type a letter for the others\n`
  const lines = values
    .slice(0, isCut ? mostBrief : Infinity)
    // The Unicode classes cost a millisecond to compile, and an ordinary value does not need them.
    .filter(([value]) => /^[\x20-\x7e]*$/.test(value) || !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
    .map(([value, description]) => `${value}\t${description.replaceAll(/\s+/g, ' ')}\n`)
  return { text: [isCut ? note : '', ...lines].join(''), to: 'stdout' }
}

/**
 * Colors by meaning, for tables, transcripts and the bar. Chalk is loaded only when there is color, and
 * never looks at the environment: the level was decided from `--color`, NO_COLOR and the terminal.
 */

export type Paint = (text: string) => string

export interface Paints {
  readonly heading: Paint
  readonly dim: Paint
  /** The color of a state, kind or outcome word. */
  state(word: string): Paint
}

const same: Paint = (text) => text
const noPaints: Paints = {
  heading: same,
  dim: same,
  state: () => same,
}

/** Words of states, kinds, outcomes and findings by their color. Any other word has none. */
const wordsOf = {
  green: 'active complete finished added deleted done ok',
  cyan: 'new incoming dry-run',
  magenta: 'ai',
  yellow:
    'partial stopped interrupted unfinished blocked gone missing not-found undetermined warning',
  red: 'error failed unknown wrong',
  dim: 'closed inactive skipped not-attempted',
} as const
const colors = Object.keys(wordsOf) as (keyof typeof wordsOf)[]

/** The colors; without color nothing is loaded. */
export async function loadPaints(hasColors: boolean): Promise<Paints> {
  if (!hasColors) return noPaints
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  return {
    heading: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    state: (word) => {
      const color = colors.find((name) => wordsOf[name].split(' ').includes(word))
      return color === undefined ? same : (text) => chalk[color](text)
    },
  }
}

/** Colours by meaning. Chalk is loaded only when there is colour; the level is decided by us. */

export type Paint = (text: string) => string

export interface Paints {
  readonly heading: Paint
  readonly dim: Paint
  readonly strong: Paint
  /** The colour of a state, kind or outcome word. */
  state(word: string): Paint
}

const same: Paint = (text) => text
const noPaints: Paints = { heading: same, dim: same, strong: same, state: () => same }

const colourOf: Readonly<Record<string, 'green' | 'cyan' | 'yellow' | 'red' | 'magenta' | 'dim'>> = {
  active: 'green',
  complete: 'green',
  added: 'green',
  deleted: 'green',
  done: 'green',
  ok: 'green',
  new: 'cyan',
  incoming: 'cyan',
  'dry-run': 'cyan',
  ai: 'magenta',
  partial: 'yellow',
  stopped: 'yellow',
  interrupted: 'yellow',
  blocked: 'yellow',
  gone: 'yellow',
  missing: 'yellow',
  'not-found': 'yellow',
  undetermined: 'yellow',
  warning: 'yellow',
  error: 'red',
  failed: 'red',
  unknown: 'red',
  wrong: 'red',
  closed: 'dim',
  inactive: 'dim',
  skipped: 'dim',
  'not-attempted': 'dim',
}

export async function loadPaints(level: 0 | 1 | 2 | 3): Promise<Paints> {
  if (level === 0) return noPaints
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level })
  return {
    heading: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    strong: (text) => chalk.bold(text),
    state: (word) => {
      const colour = Object.hasOwn(colourOf, word) ? colourOf[word] : undefined
      return colour === undefined ? same : (text) => chalk[colour](text)
    },
  }
}

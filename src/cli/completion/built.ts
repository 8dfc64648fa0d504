/** What the completion scripts of the shells ask: `svc __complete -- words...`. A tab must not wait for a framework. */
import type { Tree } from '../argv.ts'
import type { Host } from '../../host.ts'

/** The tree of commands as the build printed it, as JSON; undefined in the sources. */
declare const BUILT_TREE: string | undefined

/** The candidates for the last word, a line each; with `--tree` the tree itself, for the build. */
export async function answerShell(host: Host): Promise<string> {
  // Written out here, the branch that loads the framework is left out of the build.
  const tree =
    typeof BUILT_TREE === 'string'
      ? (JSON.parse(BUILT_TREE) as Tree)
      : await (await import('../program.ts')).wholeTree()
  const [, option, ...words] = host.argv
  if (option === '--tree') return JSON.stringify(tree)
  const { complete } = await import('./complete.ts')
  return complete(tree, words, host)
}

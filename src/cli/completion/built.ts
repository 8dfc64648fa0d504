/** What the completion scripts of the shells ask: `svc __complete -- words...`. A tab must not wait for a framework. */
import type { Host } from '../../host.ts'
import type { Tree } from '../tree.ts'

/** The tree of commands as the build printed it, as JSON; undefined in the sources. */
declare const BUILT_TREE: string | undefined

/** The candidates for the last word, a line each. */
export async function answerShell(host: Host, words: readonly string[]): Promise<string> {
  // Written out here, the branch that loads the framework is left out of the build.
  const tree =
    typeof BUILT_TREE === 'string'
      ? (JSON.parse(BUILT_TREE) as Tree)
      : await (await import('../program.ts')).wholeTree()
  const { complete } = await import('./complete.ts')
  return complete(tree, words, host)
}

/** The tree as JSON, for the build. */
export async function printTree(): Promise<string> {
  const { wholeTree } = await import('../program.ts')
  return JSON.stringify(await wholeTree())
}

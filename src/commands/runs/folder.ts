import { checkStateFolder } from '../../folder.ts'
import type { Tools } from '../../verb.ts'

/** The state folder, in which the runs lie. Throws exit 10 when it cannot be used or somebody else has a hand in it. */
export async function stateFolder({ configuration, host }: Tools): Promise<string> {
  const { stateDir } = await configuration()
  checkStateFolder(host, stateDir.value)
  return stateDir.value
}

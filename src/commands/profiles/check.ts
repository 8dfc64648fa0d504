import { createApi } from '../../api/client.ts'
import { messageOf, SvcError } from '../../errors.ts'
import type { Profile } from '../../config/profile.ts'
import type { Tools } from '../../cli/verb.ts'

/** Whether the service takes these credentials: one signed request, the smallest read there is. */
export async function checkProfile(
  tools: Tools,
  profile: Profile,
): Promise<{ ok: boolean; message: string; hint?: string | undefined }> {
  try {
    const client = await tools.open(profile)
    try {
      await createApi(client).lists.page({ limit: 1 })
    } finally {
      client.close()
    }
  } catch (error) {
    // A signal ends the command; anything else is what the check is there to find.
    if (tools.signal.aborted) throw error
    return { ok: false, message: messageOf(error), hint: error instanceof SvcError ? error.details.hint : undefined }
  }
  return { ok: true, message: 'the service accepts these credentials' }
}

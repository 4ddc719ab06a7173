import type { Locale, Localized } from '@fovea/core/base';
import type { CheckCounts, CollectionReport, StoreFaultKind } from '@fovea/core/store';

/** What is said when the store is checked and cleaned, and when a session is copied or deleted. */
export interface UpkeepTexts {
  readonly checking: (done: number, total: number) => string;
  readonly collecting: (percent: number) => string;
  readonly counts: (counts: CheckCounts) => readonly string[];
  readonly whole: string;
  readonly faults: (count: number) => string;
  readonly moreFaults: (count: number) => string;
  /** What to do about a fault. */
  readonly advice: Readonly<Record<StoreFaultKind, string>>;
  readonly freed: (bytes: string, report: CollectionReport) => string;
  readonly young: (count: number) => string;
  readonly expired: (count: number) => string;
  readonly askDeletion: (title: string, id: string) => string;
  readonly deletionNeedsYes: string;
  readonly notDeleted: string;
  readonly deleted: (id: string) => string;
}

const all: Localized<UpkeepTexts> = {
  en: {
    checking: (done, total) => `Checking … ${done} of ${Math.max(done, total)}`,
    collecting: (percent) => `Collecting … ${percent} %`,
    counts: (counts) => [
      `${counted(counts.sessions, 'session')}, ${counted(counts.messages, 'message')} (${counts.oldMessages} in an old form, which is read as it is), ${counted(counts.queueItems, 'accepted submission')}`,
      `${counted(counts.blobs, 'picture or other file', 'pictures and other files')} read whole and compared; ${counts.unreferencedBlobs} that nothing refers to any more (fovea gc deletes the old ones)`,
      ...(counts.runningTurns > 0
        ? [`${counted(counts.runningTurns, 'turn')} running, or left by a process that died`]
        : []),
      ...(counts.leftovers > 0
        ? [`${counted(counts.leftovers, 'file')} that a crash left behind (fovea gc deletes them)`]
        : []),
    ],
    whole: 'Nothing is wrong.',
    faults: (count) => (count === 1 ? '1 thing is wrong.' : `${count} things are wrong.`),
    moreFaults: (count) => `… and ${count} more.`,
    advice: {
      'database-damaged':
        'Copy FOVEA_HOME away first, then put fovea.db back from a backup or from the copy that the last upgrade left beside it.',
      'row-invalid': 'What does not need this row still works. Put fovea.db back from a backup to have it again.',
      'row-of-newer-build': 'Use the newer Fovea that wrote it.',
      'reference-dangling':
        'What does not need this row still works. Put fovea.db back from a backup to have it whole again.',
      'course-broken': 'The conversation may not open; copy what you need by fovea sessions show, and begin a new one.',
      'edge-missing': 'Do not run fovea gc before this is mended: it would delete these bytes. Copy FOVEA_HOME away.',
      'edge-dangling': 'Nothing is lost; these bytes are only kept longer than needed.',
      'blob-missing':
        'The conversation goes on without this picture. Put its file back from a backup of the folder blobs to have it again.',
      'blob-damaged':
        'The conversation goes on without this picture. Attach the file again, or put it back from a backup of the folder blobs.',
      'payload-stored': 'It works, but makes the database large. Report it: Fovea does not write this.',
    },
    freed: (bytes, { blobs }) =>
      `${bytes} freed: ${counted(blobs.collected, 'file')} that nothing refers to; ${blobs.kept} kept.`,
    young: (count) =>
      `${counted(count, 'file')} that nothing refers to ${count === 1 ? 'is' : 'are'} kept for now, because ${count === 1 ? 'it is' : 'they are'} younger than ten minutes or than a turn that runs; the next fovea gc takes ${count === 1 ? 'it' : 'them'}.`,
    expired: (count) => `${counted(count, 'draft picture')} not sent within seven days.`,
    askDeletion: (title, id) => `Delete "${title}" (${id}) for good?`,
    deletionNeedsYes: 'nobody can be asked here. To delete the session for good, add --yes.',
    notDeleted: 'Nothing was deleted.',
    deleted: (id) => `Deleted ${id}. fovea gc frees the space of its pictures.`,
  },
  'zh-CN': {
    checking: (done, total) => `正在检查… ${done} / ${Math.max(done, total)}`,
    collecting: (percent) => `正在清理… ${percent} %`,
    counts: (counts) => [
      `${counts.sessions} 个会话,${counts.messages} 条消息(其中 ${counts.oldMessages} 条为旧格式,可照常读取),${counts.queueItems} 次已接受的提交`,
      `${counts.blobs} 个图片及其他文件已完整读取并核对;${counts.unreferencedBlobs} 个不再被引用(fovea gc 会删除其中较旧的)`,
      ...(counts.runningTurns > 0 ? [`${counts.runningTurns} 轮正在运行,或由已终止的进程留下`] : []),
      ...(counts.leftovers > 0 ? [`${counts.leftovers} 个崩溃遗留的文件(fovea gc 会删除)`] : []),
    ],
    whole: '没有问题。',
    faults: (count) => `有 ${count} 处问题。`,
    moreFaults: (count) => `……另有 ${count} 处。`,
    advice: {
      'database-damaged': '请先复制整个 FOVEA_HOME,再用备份或上次升级时留下的副本恢复 fovea.db。',
      'row-invalid': '与此记录无关的内容仍可使用。如需找回,请用备份恢复 fovea.db。',
      'row-of-newer-build': '请使用写入它的更新版本的 Fovea。',
      'reference-dangling': '与此记录无关的内容仍可使用。如需完整恢复,请用备份恢复 fovea.db。',
      'course-broken': '该会话可能无法打开;请用 fovea sessions show 复制需要的内容,再新建会话。',
      'edge-missing': '修复之前请勿运行 fovea gc:它会删除这些数据。请先复制 FOVEA_HOME。',
      'edge-dangling': '没有丢失任何内容;这些数据只是保留得比需要的久。',
      'blob-missing': '会话可以继续,但没有这张图片。如需找回,请从备份恢复 blobs 文件夹中的文件。',
      'blob-damaged': '会话可以继续,但没有这张图片。请重新附加该文件,或从备份恢复 blobs 文件夹中的文件。',
      'payload-stored': '可以使用,但会使数据库变大。请报告:Fovea 不会这样写入。',
    },
    freed: (bytes, { blobs }) => `已释放 ${bytes}:${blobs.collected} 个不再被引用的文件;保留 ${blobs.kept} 个。`,
    young: (count) =>
      `${count} 个不再被引用的文件暂时保留,因为它们产生不到十分钟,或有一轮在其之前开始并仍在运行;下次 fovea gc 会删除。`,
    expired: (count) => `${count} 张草稿图片七天内没有发送。`,
    askDeletion: (title, id) => `永久删除“${title}”(${id})?`,
    deletionNeedsYes: '这里无法询问。要永久删除该会话,请加上 --yes。',
    notDeleted: '没有删除任何内容。',
    deleted: (id) => `已删除 ${id}。fovea gc 会释放其图片占用的空间。`,
  },
};

export function upkeepTexts(locale: Locale): UpkeepTexts {
  return all[locale];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

import type { Compression, Encoding, ExportVariant } from '@shared/contract/export-request';
import {
  DataFile,
  Documents,
  holds,
  type RecordSink,
  type SavedFile,
  type WrittenDataFile,
} from './data-file';
import type { DatasetFolder } from './dataset-folder';
import type { RecordEncoder } from './encoders/encoder';
import { ArrayEncoder, JsonlEncoder } from './encoders/encoder';
import { GzipPacker } from './encoders/gzip';
import { NoPacker, type Packer } from './encoders/packer';
import type { SavedMemory, ZstdStreams } from './encoders/zstd';
import { indexFile } from './past/record-index';
import { dataFilePath, type ExportPlan, type Side, sidesOf } from './plan';
import type { DataFile as DataFileFacts, Target, TargetRecord } from './targets/target';

/** Which records go into one file, or folder of documents. */
export interface SinkName {
  variant: ExportVariant;
  split: Side;
  part?: 'react' | 'summary';
}

/** What all files have come to at a border. */
export interface SavedSinks {
  /** In the order in which they were begun. */
  data: { name: SinkName; saved: unknown }[];
  index: SavedFile;
  zstd: SavedMemory | null;
}

export type SinkTarget = Pick<Target, 'encodings' | 'parquet' | 'shared'>;

/** The data files of an export and the index of their records, while they are written. */
export class Sinks {
  private readonly data = new Map<string, { name: SinkName; sink: RecordSink; path: string }>();

  private constructor(
    private readonly folder: DatasetFolder,
    private readonly plan: ExportPlan,
    private readonly target: SinkTarget,
    private readonly zstd: ZstdStreams | null,
    readonly index: DataFile,
  ) {}

  static async begin(folder: DatasetFolder, plan: ExportPlan, target: SinkTarget): Promise<Sinks> {
    const zstd = plan.options.compression === 'zstd' ? await loadZstd() : null;
    await folder.remove(indexFile);
    const index = await DataFile.begin(
      indexFile,
      await folder.place(indexFile),
      new JsonlEncoder(),
      new NoPacker(),
    );
    return new Sinks(folder, plan, target, zstd, index);
  }

  /** Goes on behind a border; null when a file is not what it was then. */
  static async goOn(
    folder: DatasetFolder,
    plan: ExportPlan,
    target: SinkTarget,
    saved: SavedSinks,
  ): Promise<Sinks | null> {
    const zstd = plan.options.compression === 'zstd' ? await loadZstd() : null;
    const place = await folder.place(indexFile);
    const index = await DataFile.goOn(saved.index, place, new JsonlEncoder(), new NoPacker());
    if (index === null) return null;
    const sinks = new Sinks(folder, plan, target, zstd, index);
    for (const each of saved.data) {
      if (!(await sinks.takeUp(each))) {
        await sinks.close();
        return null;
      }
    }
    if (zstd !== null && saved.zstd !== null) zstd.restore(saved.zstd);
    return sinks;
  }

  get records(): number {
    return [...this.data.values()].reduce((sum, { sink }) => sum + sink.records, 0);
  }

  get bytes(): number {
    return [...this.data.values()].reduce((sum, { sink }) => sum + sink.bytes, 0);
  }

  /** The sink of these records; begun with the first of them. */
  async of(name: SinkName): Promise<{ name: SinkName; sink: RecordSink; path: string }> {
    const key = keyOf(name);
    const known = this.data.get(key);
    if (known !== undefined) return known;
    const path = sinkPath(this.plan, this.target, name);
    const made = { name, path, sink: await this.make(path) };
    this.data.set(key, made);
    return made;
  }

  async border(): Promise<SavedSinks> {
    const data: SavedSinks['data'] = [];
    for (const { name, sink } of this.data.values()) data.push({ name, saved: await sink.border() });
    return {
      data,
      index: await this.index.border(),
      zstd: this.isPacked ? (this.zstd?.save() ?? null) : null,
    };
  }

  /** What the last border saved is on the disk. */
  async sync(): Promise<void> {
    const sinks = [...this.data.values()].map(({ sink }) => sink);
    await Promise.all([...sinks, this.index].map((sink) => sink.sync()));
  }

  /** Ends all files; each with what is in it. A side without records has an empty file, which loaders expect to find. */
  async end(): Promise<{ data: (WrittenDataFile & DataFileFacts)[]; index: WrittenDataFile[] }> {
    const data: (WrittenDataFile & DataFileFacts)[] = [];
    for (const { variant } of this.plan.variants) {
      for (const split of sidesOf(this.plan)) {
        const parts: TargetRecord['part'][] = [undefined, 'react', 'summary'];
        const mine = parts.flatMap((part) => this.data.get(`${variant} ${split} ${part ?? ''}`) ?? []);
        if (mine.length === 0) mine.push(await this.of({ variant, split }));
        for (const { name, sink } of mine)
          for (const file of await sink.end()) data.push({ ...file, ...name });
      }
    }
    return { data, index: await this.index.end() };
  }

  async close(): Promise<void> {
    for (const { sink } of this.data.values()) await sink.close();
    await this.index.close();
  }

  /** Data files are packed as a whole; of Parquet each page is. */
  private get isPacked(): boolean {
    return this.encoding === 'jsonl' || this.encoding === 'array';
  }

  private get encoding(): Encoding {
    return encodingOf(this.plan, this.target);
  }

  private get compression(): Compression {
    return this.plan.options.compression;
  }

  private async make(path: string): Promise<RecordSink> {
    if (this.encoding === 'documents') return new Documents(path, (each) => this.folder.place(each));
    await this.folder.remove(path);
    return DataFile.begin(path, await this.folder.place(path), await this.encoder(), this.packer());
  }

  private async takeUp({ name, saved }: SavedSinks['data'][number]): Promise<boolean> {
    const path = sinkPath(this.plan, this.target, name);
    let sink: RecordSink | null;
    if (this.encoding === 'documents') {
      const written = saved as WrittenDataFile[];
      for (const file of written) if (!(await holds(await this.folder.place(file.path), file))) return false;
      await this.folder.keepOnly(
        path,
        written.map((file) => file.path),
      );
      sink = new Documents(path, (each) => this.folder.place(each), written);
    } else {
      const place = await this.folder.place(path);
      sink = await DataFile.goOn(saved as SavedFile, place, await this.encoder(), this.packer());
    }
    if (sink === null) return false;
    this.data.set(keyOf(name), { name, path, sink });
    return true;
  }

  private async encoder(): Promise<RecordEncoder> {
    if (this.encoding === 'array') return new ArrayEncoder();
    const { parquet } = this.target;
    if (this.encoding !== 'parquet' || parquet === undefined) return new JsonlEncoder(this.target.shared);
    const { ParquetEncoder } = await import('./encoders/parquet');
    return new ParquetEncoder(parquet, this.compression, this.zstd);
  }

  private packer(): Packer {
    if (!this.isPacked || this.compression === 'none') return new NoPacker();
    return this.zstd === null ? new GzipPacker() : this.zstd.packer();
  }
}

/** As it was asked for, else the target's first. */
export function encodingOf({ options }: Pick<ExportPlan, 'options'>, { encodings }: SinkTarget): Encoding {
  return options.encoding ?? encodings[0] ?? 'jsonl';
}

/** `train.jsonl.gz`, `rules/validation-summary.json`; of documents their folder. */
export function sinkPath(plan: ExportPlan, target: SinkTarget, { part, ...name }: SinkName): string {
  const encoding = encodingOf(plan, target);
  const side = part === undefined ? '' : `-${part}`;
  if (encoding === 'documents') return dataFilePath(plan, name, 'd').replace(/\.d$/, side);
  const text = `${encoding === 'array' ? 'json' : 'jsonl'}${packed[plan.options.compression]}`;
  const ending = encoding === 'parquet' ? 'parquet' : text;
  const path = dataFilePath(plan, name, ending);
  return `${path.slice(0, -ending.length - 1)}${side}.${ending}`;
}

const packed: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' };

const keyOf = ({ variant, split, part }: SinkName) => `${variant} ${split} ${part ?? ''}`;

async function loadZstd(): Promise<ZstdStreams> {
  const { ZstdStreams: Streams } = await import('./encoders/zstd');
  return Streams.load();
}

// A file of ratings: which column is what, what reading it gives, and into the store with it.
import { useEffect, useState } from 'preact/hooks';
import type { ApiError, ImportResult, Mapping } from '../api';
import { ColumnMapping } from '../components/column_mapping';
import { PageHead } from '../components/layout';
import { ReadingReport } from '../components/reading_report';
import { Failed } from '../components/states';
import { useApp } from '../context';
import { asApiError } from '../lib/asked';
import * as format from '../lib/format';
import { href } from '../lib/router';
import { headOfFile } from '../lib/upload';

type Step = { doing: 'reading' | 'writing' } | { error: ApiError } | { result: ImportResult };

export function UploadPage() {
  const { api, reload } = useApp();
  const [file, setFile] = useState<File | undefined>();
  const [head, setHead] = useState<string[]>([]);
  const [mapping, setMapping] = useState<Mapping>({});
  const [step, setStep] = useState<Step | undefined>();
  const result = step && 'result' in step ? step.result : undefined;
  const doing = step && 'doing' in step ? step.doing : undefined;

  const take = (next: File | undefined) => {
    setFile(next);
    setMapping({});
    setHead([]);
    if (next) headOfFile(next).then(setHead, () => setHead([]));
  };
  useEffect(() => {
    if (!file) {
      setStep(undefined);
      return undefined;
    }
    const controller = new AbortController();
    setStep({ doing: 'reading' });
    api.importFile(file, mapping, true, controller.signal).then(
      (answer) => !controller.signal.aborted && setStep({ result: answer }),
      (error: unknown) => !controller.signal.aborted && setStep({ error: asApiError(error) }),
    );
    return () => controller.abort();
  }, [file, mapping]);
  const write = () => {
    if (!file) return;
    setStep({ doing: 'writing' });
    api.importFile(file, mapping, false).then(
      (answer) => {
        setStep({ result: answer });
        reload();
      },
      (error: unknown) => setStep({ error: asApiError(error) }),
    );
  };

  return (
    <>
      <PageHead title="Upload a file">
        Ratings as CSV, TSV, .inter or JSON lines, also gzipped. It is read and shown first; nothing
        is written before you say so.
      </PageHead>
      <div class="stack">
        <section class="card stack" aria-label="File">
          <label class="field drop">
            <span>File of ratings</span>
            <input
              type="file"
              accept=".csv,.tsv,.txt,.inter,.jsonl,.ndjson,.gz"
              disabled={doing === 'writing'}
              onChange={(event) => take(event.currentTarget.files?.[0])}
            />
          </label>
          {doing && (
            <p class="muted" role="status">
              {doing === 'reading' ? 'Reading' : 'Writing to the store'} {file?.name},{' '}
              {format.bytes(file?.size ?? 0)}…
            </p>
          )}
          {step && 'error' in step && <Failed error={step.error} />}
        </section>
        {file && (result || head.length > 0) && !result?.written && (
          <ColumnMapping
            report={result?.report}
            head={head}
            mapping={mapping}
            changed={setMapping}
            disabled={doing === 'writing'}
          />
        )}
        {result && !result.written && <ReadingReport result={result} write={write} />}
        {result?.written && <Written result={result} another={() => take(undefined)} />}
      </div>
    </>
  );
}

function Written({ result, another }: { result: ImportResult; another(): void }) {
  const { new_ratings: fresh = 0, changed_ratings: changed = 0 } = result.written ?? {};
  const nothing = fresh === 0 && changed === 0;
  return (
    <section class="card state" role="status">
      <h2>
        {nothing
          ? 'Nothing new'
          : `${format.plural(fresh, 'new rating')}${changed > 0 ? `, ${format.count(changed)} changed` : ''}`}
      </h2>
      <p>
        {nothing
          ? 'Every rating of the file was in the store already.'
          : 'They count for the lists of those people at once; what is learned from everyone follows.'}
      </p>
      <div class="chips">
        <a class="button primary" href={href('recommend')}>
          See recommendations
        </a>
        <a class="button" href={href('model')}>
          Fit anew
        </a>
        <button class="button" type="button" onClick={another}>
          Another file
        </button>
      </div>
    </section>
  );
}

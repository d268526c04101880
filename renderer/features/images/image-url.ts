import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';

interface ImageUrl {
  /** A `blob:` address of bytes whose type main read off them; null while they are on their way, or when they are gone. */
  url: string | null;
  /** Why there is none; '' otherwise. */
  failure: string;
}

const none: ImageUrl = { url: null, failure: '' };

/** An image of a run for an `<img>`, as long as the component is there. */
export function useImageUrl(run: string, sha256: string): ImageUrl {
  const [shown, setShown] = useState(none);
  useEffect(() => {
    let url: string | null = null;
    let gone = false;
    call('step.image', { run, sha256 }).then(
      ({ mediaType, bytes }) => {
        if (gone) return;
        url = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: mediaType }));
        setShown({ url, failure: '' });
      },
      (thrown: unknown) => {
        if (!gone) setShown({ url: null, failure: failureOf(thrown).message });
      },
    );
    return () => {
      gone = true;
      if (url !== null) URL.revokeObjectURL(url);
      setShown(none);
    };
  }, [run, sha256]);
  return shown;
}

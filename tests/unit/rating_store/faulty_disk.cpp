#include "unit/rating_store/faulty_disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "support/temporary_folder.hpp"

namespace palate::testing {
namespace {

using Verdict = FaultyDisk::Verdict;

FaultyDisk* disk = nullptr;       // the one that lives
sqlite3_vfs* real_vfs = nullptr;  // what lies below

struct Handle {
  sqlite3_file base;
  const char* path;  // null: a temporary file, which nobody finds again
  sqlite3_file* real;
};

Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
sqlite3_file* real(sqlite3_file* file) { return of(file).real; }

Verdict judge(const Handle& file, const char* what) {
  return file.path == nullptr ? Verdict::well : disk->judge(what, file.path);
}
int error_of(Verdict verdict, int usual) { return verdict == Verdict::full ? SQLITE_FULL : usual; }

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
  return real(file)->pMethods->xRead(real(file), out, size, at);
}
int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  Handle& mine = of(file);
  const Verdict verdict = judge(mine, "write");
  if (verdict == Verdict::torn) size /= 2;
  if (verdict == Verdict::well || verdict == Verdict::torn) {
    const int done = mine.real->pMethods->xWrite(mine.real, bytes, size, at);
    if (done != SQLITE_OK) return done;
    if (mine.path != nullptr) {
      const auto* text = static_cast<const char*>(bytes);
      disk->note(mine.path, {static_cast<std::uint64_t>(at),
                             std::string(text, static_cast<std::size_t>(size)), false});
    }
  }
  return verdict == Verdict::well ? SQLITE_OK : error_of(verdict, SQLITE_IOERR_WRITE);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  Handle& mine = of(file);
  const Verdict verdict = judge(mine, "truncate");
  if (verdict != Verdict::well) return error_of(verdict, SQLITE_IOERR_TRUNCATE);
  if (mine.path != nullptr) disk->note(mine.path, {static_cast<std::uint64_t>(size), {}, true});
  return mine.real->pMethods->xTruncate(mine.real, size);
}
// What the machine itself flushes is of no account here.
int sync_file(sqlite3_file* file, int) {
  const Handle& mine = of(file);
  const Verdict verdict = judge(mine, "flush");
  if (mine.path != nullptr) disk->flush(mine.path, verdict != Verdict::well);
  return verdict == Verdict::well ? SQLITE_OK : error_of(verdict, SQLITE_IOERR_FSYNC);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock_file(sqlite3_file* file, int kind) {
  return real(file)->pMethods->xLock(real(file), kind);
}
int unlock_file(sqlite3_file* file, int kind) {
  return real(file)->pMethods->xUnlock(real(file), kind);
}
int check_lock(sqlite3_file* file, int* out) {
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
int control(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
// What SQLite relies on here as on any disk: a write that fails spoils no bytes beside its own. On
// a disk without that it pads each commit after flushing it, and a flush that fails later takes the
// padding along, on which all that follows is chained.
int promises(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int n, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int shm_unmap(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

const sqlite3_io_methods methods = {2,           close_file,  read_file, write_file,  truncate_file,
                                    sync_file,   file_size,   lock_file, unlock_file, check_lock,
                                    control,     sector_size, promises,  shm_map,     shm_lock,
                                    shm_barrier, shm_unmap,   nullptr,   nullptr};

int open_file(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
  Handle& mine = of(file);
  mine.base.pMethods = nullptr;
  mine.path = path;
  mine.real = reinterpret_cast<sqlite3_file*>(&mine + 1);
  const bool makes =
      (flags & SQLITE_OPEN_CREATE) != 0 && path != nullptr && !std::filesystem::exists(path);
  const Verdict verdict = makes ? judge(mine, "make") : Verdict::well;
  if (verdict != Verdict::well) return error_of(verdict, SQLITE_CANTOPEN);
  const int done = real_vfs->xOpen(real_vfs, path, mine.real, flags, out);
  if (done == SQLITE_OK) {
    mine.base.pMethods = &methods;
    if (path != nullptr) disk->open(path);
  }
  return done;
}
int delete_file(sqlite3_vfs*, const char* path, int sync) {
  const Verdict verdict = disk->judge("remove", path);
  if (verdict != Verdict::well) return error_of(verdict, SQLITE_IOERR_DELETE);
  disk->remove(path);
  return real_vfs->xDelete(real_vfs, path, sync);
}

sqlite3_vfs& shim() {
  static sqlite3_vfs vfs = [] {
    real_vfs = sqlite3_vfs_find(nullptr);
    sqlite3_vfs out = *real_vfs;
    out.szOsFile = static_cast<int>(sizeof(Handle)) + real_vfs->szOsFile;
    out.pNext = nullptr;
    out.zName = "faulty";
    out.xOpen = open_file;
    out.xDelete = delete_file;
    return out;
  }();
  return vfs;
}

void make(std::string& file, const FaultyDisk::Change& change) {
  if (change.cut) {
    file.resize(std::min<std::size_t>(file.size(), change.at));
    return;
  }
  if (file.size() < change.at + change.bytes.size()) file.resize(change.at + change.bytes.size());
  file.replace(change.at, change.bytes.size(), change.bytes);
}

}  // namespace

FaultyDisk::FaultyDisk() {
  if (disk != nullptr) throw std::logic_error("there is a faulty disk already");
  disk = this;
  sqlite3_vfs_register(&shim(), 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&shim());
  sqlite3_vfs_register(real_vfs, 1);
  disk = nullptr;
}

void FaultyDisk::fail_at(std::uint64_t call, Fault fault, Lasts lasts) {
  const std::lock_guard lock(mutex_);
  fail_at_ = call;
  fault_ = fault;
  lasts_ = lasts;
  calls_ = 0;
  failed_.clear();
}

void FaultyDisk::heal() {
  const std::lock_guard lock(mutex_);
  fail_at_ = 0;
}

bool FaultyDisk::has_failed() const { return !failed().empty(); }

std::string FaultyDisk::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

std::uint64_t FaultyDisk::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

FaultyDisk::Verdict FaultyDisk::judge(const char* what, const std::string& path) {
  const std::lock_guard lock(mutex_);
  ++calls_;
  const bool fails =
      fail_at_ != 0 && (calls_ == fail_at_ || (lasts_ == Lasts::for_ever && calls_ > fail_at_));
  if (!fails) return Verdict::well;
  if (failed_.empty()) {
    failed_ = std::string(what) + " " + std::filesystem::path(path).filename().string();
  }
  if (fault_ == Fault::error) return Verdict::error;
  return fault_ == Fault::full ? Verdict::full : Verdict::torn;
}

void FaultyDisk::note(const std::string& path, Change change) {
  const std::lock_guard lock(mutex_);
  files_[path].pending.push_back(std::move(change));
}

// After a flush that failed, the system may believe that all is well and never write it again.
void FaultyDisk::flush(const std::string& path, bool fails) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  if (!fails) {
    for (const Change& change : file.pending) make(file.flushed, change);
  }
  file.pending.clear();
}

void FaultyDisk::open(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (!files_.contains(path)) files_[path].flushed = read_text(path);
}

void FaultyDisk::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

void FaultyDisk::lose_power(const std::filesystem::path& folder, const std::filesystem::path& out,
                            std::uint64_t seed) const {
  constexpr std::size_t sector = 512;
  const std::lock_guard lock(mutex_);
  Random random(seed);
  for (const auto& [path, file] : files_) {
    const std::filesystem::path name = path;
    if (name.parent_path() != folder) continue;
    std::string left = file.flushed;
    for (Change change : file.pending) {
      const std::uint64_t fate = seed == 0 ? 0 : seed == 1 ? 1 : random.below(3);
      if (fate == 0) continue;
      if (fate == 2 && !change.cut) {
        const std::size_t sectors = change.bytes.size() / sector + 1;
        change.bytes.resize(std::min(change.bytes.size(), sector * random.below(sectors)));
      }
      make(left, change);
    }
    write_text(out / name.filename(), left);
  }
}

}  // namespace palate::testing
